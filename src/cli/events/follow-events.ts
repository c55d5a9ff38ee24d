import { either as E, function as F } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import type { Clock } from '../../event-sourcing/clock.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { type Feed, makeLedgerFeed } from '../../read/ledger-feed.js';
import { type LedgerProgress, makeLedgerTail } from '../../read/ledger-tail.js';
import type { LedgerEntry, LedgerFilter, LedgerQueries } from '../../read/ledger.js';
import type { ReadModelUnavailable } from '../../read/queries.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, printNote } from '../output.js';
import { databaseTrouble } from '../database-trouble.js';

/** How often it is looked for new events, ms. */
const POLL_MS = 500;

/** Until it is tried again when the ledger cannot be read, ms. */
const RETRY_MS = 1_000;

/** How often it is said again that the ledger cannot be read, ms. */
const QUIET_MS = 60_000;

/** The projector is in another process: what it has added is found by reading, behind the last event that was read. */
const pollingBy = (clock: Clock): LedgerProgress => ({
  reached: () => 0n,
  untilMoved: async (_known, signal) => {
    await clock.sleep(POLL_MS, signal);
  },
});

type Following = {
  readonly clock: Clock;
  readonly queries: LedgerQueries;
  /** False when nobody reads any more. */
  readonly show: (entries: ReadonlyArray<LedgerEntry>) => Promise<boolean>;
  readonly note?: (text: string) => void;
};

type Wanted = { readonly filter: LedgerFilter; readonly after: bigint | undefined };

/**
 * Shows the events behind an index, and then those that come, until the signal aborts or nobody reads them. Reads them as
 * the service does for its feeds. While the database is away it tries again and says so; throws why it does not answer at
 * first.
 */
export const followEvents = async (
  { clock, queries, show, note = printNote }: Following,
  { filter, after }: Wanted,
  signal: AbortSignal,
): Promise<ExitCode> => {
  let last = after;
  let hasBegun = false;
  let isNoted = false;
  let trouble: unknown;

  const noted = <A>(read: E.Either<ReadModelUnavailable, A>): E.Either<ReadModelUnavailable, A> => {
    if (E.isRight(read)) return read;
    trouble = read.left.cause;
    if (hasBegun && !isNoted) note(`${databaseTrouble(trouble) ?? reasonOf(trouble)}; trying again`);
    isNoted = hasBegun;
    return read;
  };
  const page: LedgerQueries['page'] = async (request) => noted(await queries.page(request));
  const rowsAfter: LedgerQueries['rowsAfter'] = async (index, limit) => noted(await queries.rowsAfter(index, limit));
  const tail = makeLedgerTail({ clock, queries: { rowsAfter }, progress: pollingBy(clock) });
  const feed = makeLedgerFeed({ clock, ledger: { page, nextPage: page }, tail });

  /** False when nobody reads any more; true when the parts have ended, or one could not be read. */
  const showParts = async ({ parts }: Feed): Promise<boolean> => {
    for (;;) {
      const read = await attempt(() => parts.next(), F.identity);
      if (E.isLeft(read) || read.right.done === true) return true;
      const part = read.right.value;
      isNoted = false;
      if (part._tag === 'CaughtUp' && part.index >= 0n) last = part.index;
      if (part._tag !== 'Events') continue;
      if (!(await show(part.entries))) return false;
      last = part.entries.at(-1)?.index ?? last;
    }
  };

  const stop = (): void => feed.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      // whoever takes the events too slowly is given the others from here, at its own pace
      const opened = await feed.open({ filter, after: last, quietMs: QUIET_MS, onTooSlow: () => undefined });
      if (E.isRight(opened)) {
        hasBegun = true;
        if (!(await showParts(opened.right))) break;
      } else if (opened.left._tag === 'PastEnd') return failed(`there is no event ${last} in the ledger`);
      else if (!hasBegun) throw trouble;
      else await clock.sleep(RETRY_MS, signal);
    }
    return EXIT.ok;
  } finally {
    signal.removeEventListener('abort', stop);
    feed.stop();
  }
};
