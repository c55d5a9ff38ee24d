import { either as E, option as O, type taskEither as TE } from 'fp-ts';
import type { LoadFailure } from '../../event-sourcing/load-stream.js';
import type { AsOf } from '../../read/history.js';
import type { View } from '../../read/queries.js';
import type { Exchange } from '../exchange.js';
import type { EntityNotFound, Failure } from '../problem/failure.js';
import { readAsOf } from '../query/as-of.js';
import { both } from '../request/both.js';
import { type Conditions, conditionsOf, evaluate } from '../request/conditions.js';
import { tagOf } from '../request/entity-tags.js';
import { type Answer, ok } from '../response/answer.js';
import { recordId } from './record-id.js';

type Get = (id: string, asOf: AsOf) => TE.TaskEither<LoadFailure, O.Option<View>>;

const answer = ({ revision, body }: View, conditions: Conditions): E.Either<Failure, Answer> => {
  const tag = tagOf(revision);
  switch (evaluate(conditions, tag)) {
    case 'Go':
      return E.right(ok(body, 'ETag', tag));
    case 'IfNoneMatchFailed':
      return E.right({ status: 304, headers: ['ETag', tag] });
    case 'IfMatchFailed':
      return E.left({ _tag: 'PreconditionFailed', current: revision });
  }
};

const notFound = E.left<EntityNotFound>({ _tag: 'EntityNotFound' });

/** GET by id: the record now, or as it was at a revision or an instant. */
export const getRecord =
  (get: Get) =>
  ({ ctx, params, query }: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const asked = both(readAsOf(query), conditionsOf(ctx.req.headers));
    if (E.isLeft(asked)) return asked;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    const [asOf, conditions] = asked.right;
    const view = await get(id.right, asOf)();
    if (E.isLeft(view)) return view;
    return O.isNone(view.right) ? notFound : answer(view.right.value, conditions);
  };
