import { either as E, option as O, type taskEither as TE } from 'fp-ts';
import type { LoadFailure } from '../../event-sourcing/visit-stream.js';
import type { AsOf } from '../../read/history.js';
import type { View } from '../../read/queries.js';
import type { Exchange } from '../exchange.js';
import type { EntityNotFound, Failure } from '../problem/failure.js';
import { type Conditions, evaluate } from '../request/conditions.js';
import { tagOf } from '../request/entity-tags.js';
import { type Answer, ok } from '../response/answer.js';
import { askedRecord } from './asked-record.js';

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
  (exchange: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const asked = askedRecord(exchange);
    if (E.isLeft(asked)) return asked;
    const { id, asOf, conditions } = asked.right;
    const view = await get(id, asOf)();
    if (E.isLeft(view)) return view;
    return O.isNone(view.right) ? notFound : answer(view.right.value, conditions);
  };
