import { either as E, option as O, type taskEither as TE } from 'fp-ts';
import type { Exchange } from '../exchange.js';
import type { Failure } from '../problem/failure.js';
import { readAsOf } from '../query/as-of.js';
import { recordId } from '../record/record-id.js';
import { both } from '../request/both.js';
import { conditionsOf } from '../request/conditions.js';
import type { Answer } from '../response/answer.js';
import type { Service } from '../service.js';
import { fileResponse } from './file-response.js';

/** GET of a document's file: the one it has now, or had at a revision or an instant. */
export const getFile =
  ({ getFile: find, openFile }: Pick<Service['documents'], 'getFile' | 'openFile'>) =>
  ({ ctx, params, query }: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const asked = both(readAsOf(query), conditionsOf(ctx.req.headers));
    if (E.isLeft(asked)) return asked;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    const [asOf, conditions] = asked.right;
    const version = await find(id.right, asOf)();
    if (E.isLeft(version)) return version;
    if (O.isNone(version.right)) return E.left({ _tag: 'EntityNotFound' });
    return fileResponse(openFile)(version.right.value, ctx.req, conditions)();
  };
