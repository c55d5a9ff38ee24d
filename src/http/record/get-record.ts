import { either as E, option as O } from 'fp-ts';
import type { AdmitPage } from '../../read/admit-page.js';
import type { LoadFailure } from '../../event-sourcing/for-each-event.js';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { AsOf } from '../../read/history.js';
import type { View } from '../../read/queries.js';
import type { Exchange } from '../exchange.js';
import type { EntityNotFound, Failure } from '../problem/failure.js';
import { type Conditions, evaluate } from '../request/conditions.js';
import { tagOf } from '../request/entity-tags.js';
import { type Answer, ok } from '../response/answer.js';
import { askedRecord } from './asked-record.js';
import { admitFoldFor } from './admit-fold-for.js';

type Get = (id: string, asOf: AsOf, admitPage: AdmitPage) => Promise<E.Either<LoadFailure, O.Option<View>>>;

/** Places of lists that a large record takes: it is held as a whole. */
const LARGE_RECORD = 2;

const notFound = E.left<EntityNotFound>({ _tag: 'EntityNotFound' });

/** The answer that the conditions demand whatever the record says; undefined when it is the record itself. */
const conditionalAnswer = (revision: Revision, conditions: Conditions): E.Either<Failure, Answer> | undefined => {
  switch (evaluate(conditions, tagOf(revision))) {
    case 'Go':
      return undefined;
    case 'IfNoneMatchFailed':
      return E.right({ status: 304, headers: ['ETag', tagOf(revision)] });
    case 'IfMatchFailed':
      return E.left({ _tag: 'PreconditionFailed', current: revision });
  }
};

/** A large record is read only now, and may be a newer one than was known: the conditions are asked again. */
const answer = async (
  { ctx }: Exchange,
  { revision, body }: View,
  conditions: Conditions,
): Promise<E.Either<Failure, Answer>> => {
  const conditional = conditionalAnswer(revision, conditions);
  if (conditional !== undefined) return conditional;
  if (typeof body === 'string') return E.right(ok(body, 'ETag', tagOf(revision)));
  if (!(await ctx.state.take('lists', LARGE_RECORD))) return E.left({ _tag: 'Overloaded' });
  const large = await body.read();
  if (E.isLeft(large)) return large;
  if (O.isNone(large.right)) return notFound;
  const { revision: current, bytes } = large.right.value;
  return conditionalAnswer(current, conditions) ?? E.right(ok(bytes, 'ETag', tagOf(current)));
};

/** GET by id: the record now, or as it was at a revision or an instant. */
export const getRecord =
  (get: Get) =>
  async (exchange: Exchange): Promise<E.Either<Failure, Answer>> => {
    const asked = askedRecord(exchange);
    if (E.isLeft(asked)) return asked;
    const { id, asOf, conditions } = asked.right;
    const view = await get(id, asOf, admitFoldFor(exchange));
    if (E.isLeft(view)) return view;
    return O.isNone(view.right) ? notFound : answer(exchange, view.right.value, conditions);
  };
