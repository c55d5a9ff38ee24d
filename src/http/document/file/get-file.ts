import { either as E, option as O, type taskEither as TE } from 'fp-ts';
import { type Exchange, isHead } from '../../exchange.js';
import type { Failure } from '../../problem/failure.js';
import { askedRecord } from '../../record/asked-record.js';
import type { Answer } from '../../response/answer.js';
import type { Service } from '../../service.js';
import { fileResponse } from './file-response.js';

/** GET of a document's file: the one it has now, or had at a revision or an instant. */
export const getFile =
  ({ getFile: find, openFile }: Pick<Service['documents'], 'getFile' | 'openFile'>) =>
  (exchange: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const asked = askedRecord(exchange);
    if (E.isLeft(asked)) return asked;
    const { id, asOf, conditions } = asked.right;
    const version = await find(id, asOf, () => exchange.ctx.state.take('histories'))();
    if (E.isLeft(version)) return version;
    if (O.isNone(version.right)) return E.left({ _tag: 'EntityNotFound' });
    if (!isHead(exchange) && !(await exchange.ctx.state.take('files'))) return E.left({ _tag: 'Overloaded' });
    return fileResponse(openFile)(version.right.value, exchange.ctx.req, conditions)();
  };
