import { either as E, option as O } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { AdmitPage } from './admit-page.js';
import type { AsOf, History, StateThen } from './history.js';
import type { ReadModelUnavailable } from './queries.js';

/** Whether a read model may lack a change that a client was told is written; GET by id then folds the stream. */
export type Freshness = { readonly isBehind: () => boolean };

export type Folding<State> = {
  readonly history: Pick<History<State>, 'stateAsOf'>;
  readonly freshness: Freshness;
};

/**
 * The row; the folded stream when the row may be behind or its database is away, or for an earlier state. The stream
 * gets the time that the row has left.
 */
export const rowOrFold =
  <State, A>(
    { history, freshness }: Folding<State>,
    readRow: (id: string) => Promise<E.Either<ReadModelUnavailable, O.Option<A>>>,
    fromState: (id: string, then: StateThen<State>) => O.Option<A>,
  ) =>
  async (id: string, asOf: AsOf, admitPage: AdmitPage): Promise<E.Either<LoadFailure, O.Option<A>>> => {
    const until = answerDeadline();
    if (asOf._tag === 'Now' && !freshness.isBehind()) {
      const row = await readRow(id);
      if (E.isRight(row)) return row;
    }
    const then = await history.stateAsOf(id, asOf, admitPage, until);
    return E.isLeft(then) ? then : E.right(O.chain((found: StateThen<State>) => fromState(id, found))(then.right));
  };
