import { either as E } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { Position } from '../event-sourcing/recorded-event.js';
import type { Ledger, LedgerQueries } from './ledger.js';

type CompleteLedgerDeps = {
  readonly clock: Clock;
  readonly store: Pick<EventStore, 'head'>;
  /** Of the streams whose events it has. */
  readonly categories: ReadonlyArray<string>;
  /** True when the ledger shows everything up to `position`; false when it does not in time. */
  readonly waitFor: (position: Position, until: number) => Promise<boolean>;
  readonly queries: Pick<LedgerQueries, 'page'>;
};

/** A ledger that answers only when it shows every event that was acknowledged before it was asked. */
export const makeCompleteLedger = ({ clock, store, categories, waitFor, queries }: CompleteLedgerDeps): Ledger => ({
  page: async (request) => {
    const until = answerDeadline(clock);
    const head = await store.head(categories);
    if (E.isLeft(head)) return head;
    const isComplete = head.right === undefined || (await waitFor(head.right, until));
    return isComplete ? queries.page(request) : E.left({ _tag: 'LedgerBehind' });
  },
  nextPage: queries.page,
});
