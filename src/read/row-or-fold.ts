import { either as E, option as O } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { Position } from '../event-sourcing/recorded-event.js';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { AdmitPage } from './admit-page.js';
import type { AsOf, History, StateThen } from './history.js';
import type { ReadModelUnavailable, RowParked } from './queries.js';

/**
 * Whether rows have every change that a client was told is written. `Behind`: some are missing, or were a moment ago.
 * `Unsure`: the log was not asked, or has not answered, for longer than other processes hold back what the rows lack.
 */
export type RowsFreshness = 'Fresh' | 'Behind' | 'Unsure';

/** What is known of the rows of a read model. */
export type Freshness = {
  /** Of this very moment: a process may have stood still since it looked last. */
  readonly rows: () => RowsFreshness;
  /**
   * What `rows` says; where that is `Unsure`, the log is asked first, which is waited for a moment. `Behind` where the rows may
   * lack what was shown of this record.
   */
  readonly asked: (id: string) => Promise<RowsFreshness>;
  /** A record was shown from the log, with everything up to a position: whatever is known of the rows, they may lack that. */
  readonly showed: (id: string, position: Position) => void;
  /** Up to when the rows are known to show everything; undefined before it is known. */
  readonly shownUntil: () => Date | undefined;
};

export type Folding<State> = {
  readonly clock: Clock;
  readonly history: Pick<History<State>, 'stateAsOf'>;
  readonly freshness: Pick<Freshness, 'asked' | 'showed'>;
};

/**
 * The row; the folded stream when the row is behind or parked or its database is away, or for an earlier state. Where the
 * log does not say whether it is behind, it is read together with what was noted of it. The stream gets the time that is
 * left; what it has shown is not taken back by a row that is older. Where it has an event that this program cannot read, a
 * parked row stands in.
 */
export const rowOrFold =
  <State, A>(
    { clock, history, freshness }: Folding<State>,
    readRow: (id: string, asNoted: boolean) => Promise<E.Either<ReadModelUnavailable | RowParked<A>, O.Option<A>>>,
    fromState: (id: string, then: StateThen<State>) => O.Option<A>,
  ) =>
  async (id: string, asOf: AsOf, admitPage: AdmitPage): Promise<E.Either<LoadFailure, O.Option<A>>> => {
    const until = answerDeadline(clock);
    const isNow = asOf._tag === 'Now';
    const rows = isNow ? await freshness.asked(id) : 'Behind';
    const row = rows === 'Behind' ? undefined : await readRow(id, rows === 'Unsure');
    if (row !== undefined && E.isRight(row)) return row;
    const then = await history.stateAsOf(id, asOf, admitPage, until);
    if (E.isRight(then)) {
      if (O.isNone(then.right)) return E.right(O.none);
      freshness.showed(id, then.right.value.position);
      return E.right(fromState(id, then.right.value));
    }
    if (!isNow || then.left._tag !== 'UndecodableEvent') return then;
    const stays = row ?? (await readRow(id, false));
    return E.isLeft(stays) && stays.left._tag === 'RowParked' ? E.right(stays.left.row) : then;
  };
