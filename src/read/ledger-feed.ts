import { either as E } from 'fp-ts';
import type { Cancel, Clock } from '../event-sourcing/clock.js';
import type { Ledger, LedgerEntry, LedgerFailure, LedgerFilter, LedgerPage, LedgerPageRequest } from './ledger.js';
import type { LedgerTail, Watcher } from './ledger-tail.js';
import { inTurns } from './in-turns.js';
import type { ReadModelUnavailable } from './queries.js';

export type FeedPart =
  | { readonly _tag: 'Events'; readonly entries: ReadonlyArray<LedgerEntry> }
  /** Everything up to this index has been given; -1: there was nothing. What follows comes as it happens. */
  | { readonly _tag: 'CaughtUp'; readonly index: bigint }
  /** Nothing has come for a while. */
  | { readonly _tag: 'Quiet' };

export type FeedRequest = {
  readonly filter: LedgerFilter;
  /** Index of the last event that its reader has. Undefined: none. */
  readonly after: bigint | undefined;
  /** How long nothing comes before that is said, ms. */
  readonly quietMs: number;
  /** When it is closed, ms since 1970. Default: by its reader only. */
  readonly until?: number;
  /** Called when events come faster than the parts are asked for: then there are no more. */
  readonly onTooSlow: () => void;
};

export type Feed = {
  /** Each once, without a pause before the first. Throws what keeps the ledger from being read on. */
  readonly parts: AsyncGenerator<FeedPart, void, undefined>;
  /** The parts end, also where one is waited for. */
  readonly close: () => void;
};

/** There is no event with this index, nor was there ever. */
type PastEnd = { readonly _tag: 'PastEnd' };

export type LedgerFeed = {
  /** The events behind an index, each once and in their order: those that are there, and then those that come. */
  readonly open: (request: FeedRequest) => Promise<E.Either<LedgerFailure | PastEnd, Feed>>;
  /** Ends all feeds. */
  readonly stop: () => void;
};

/**
 * What is read of the ledger together for one feed: its reader may take long, and there are many. Characters, and events.
 */
const PAGE = { limit: 250, size: 128 * 1024 };

/** Pages that are read at once for all feeds: others search the ledger, too. */
const AT_ONCE = 2;

type FeedDeps = {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly tail: LedgerTail;
};

const right = <A>(read: E.Either<ReadModelUnavailable, A>): A => {
  if (E.isLeft(read)) throw new Error('the ledger cannot be read on', { cause: read.left.cause });
  return read.right;
};

/** Of which the last event is the only one. */
const END: LedgerPageRequest = { filter: {}, after: undefined, direction: 'backwards', limit: 1 };

const lastIndexIn = ({ entries }: LedgerPage): bigint => entries[0]?.index ?? -1n;

/** Who watches, and the index up to which everything was given before. */
type Joined = { readonly watcher: Watcher; readonly given: bigint };

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** What comes to a watcher, without events up to `given`: some were in the page that was read while it watched already. */
async function* live(watcher: Watcher, given: bigint, quietMs: number): AsyncGenerator<FeedPart, void, undefined> {
  for (;;) {
    const entries = await watcher.next(quietMs);
    if (entries === undefined) return;
    const [first] = entries;
    const news = first !== undefined && first.index <= given ? entries.filter(({ index }) => index > given) : entries;
    if (news.length > 0) yield { _tag: 'Events', entries: news };
    else if (entries.length === 0) yield { _tag: 'Quiet' };
  }
}

/** Parts that are there, and then others. It holds on to none of them. */
async function* beginningWith(
  there: Array<FeedPart>,
  others: AsyncGenerator<FeedPart, void, undefined>,
): AsyncGenerator<FeedPart, void, undefined> {
  for (let part = there.shift(); part !== undefined; part = there.shift()) yield part;
  yield* others;
}

/** Feeds of the ledger. However many are open, the events that come are read once. */
export const makeLedgerFeed = ({ clock, ledger, tail }: FeedDeps): LedgerFeed => {
  const inTurn = inTurns(AT_ONCE);
  let isStopped = false;

  const pageAfter = async (filter: LedgerFilter, after: bigint): Promise<LedgerPage> =>
    right(await inTurn(() => ledger.nextPage({ filter, after, direction: 'forwards', ...PAGE })));

  const open: LedgerFeed['open'] = async ({ filter, after, quietMs, until, onTooSlow }) => {
    const end = await ledger.page(END);
    if (E.isLeft(end)) return end;
    const last = lastIndexIn(end.right);
    if (after !== undefined && after > last) return E.left({ _tag: 'PastEnd' });
    let isClosed = false;
    let leave = (): void => undefined;
    let cancel: Cancel | undefined;
    const isOver = (): boolean => isClosed || isStopped;

    /** The events that are there; then it gives who is told of the others, and the index up to which all were given. */
    async function* replay(): AsyncGenerator<FeedPart, Joined | undefined, undefined> {
      let known = last;
      let given = after ?? -1n;
      while (!isOver()) {
        // from here on nothing is missed, and all before that is in the rows
        const watcher = tail.watch(filter, known, onTooSlow);
        leave = () => watcher.leave();
        let isJoined = false;
        try {
          const { entries, isLast } = await pageAfter(filter, given);
          given = entries.at(-1)?.index ?? given;
          const isNear = isLast || given >= watcher.from;
          if (!isNear) watcher.leave();
          if (entries.length > 0) yield { _tag: 'Events', entries };
          isJoined = isNear;
          if (isNear) return { watcher, given: later(watcher.from, given) };
        } finally {
          if (!isJoined) watcher.leave();
        }
        // it watches again when little is left
        for (let isNear = false; !isNear && !isOver();) {
          const { entries, isLast } = await pageAfter(filter, given);
          given = entries.at(-1)?.index ?? given;
          if (entries.length > 0) yield { _tag: 'Events', entries };
          isNear = isLast;
        }
        if (!isOver()) known = lastIndexIn(right(await ledger.nextPage(END)));
      }
      return undefined;
    }

    // what the replay has read is not held for the hours of what follows: it is a generator of its own
    async function* parts(): AsyncGenerator<FeedPart, void, undefined> {
      const joined = yield* replay();
      if (joined === undefined) return;
      const { watcher, given } = joined;
      try {
        yield { _tag: 'CaughtUp', index: given };
        yield* live(watcher, given, quietMs);
      } finally {
        watcher.leave();
      }
    }

    const all = parts();
    const close = (): void => {
      cancel?.();
      isClosed = true;
      leave();
      void all.return();
    };
    try {
      const first = await all.next();
      if (until !== undefined) cancel = clock.after(until - clock.date().getTime(), close, { isBackground: true });
      return E.right({ parts: beginningWith(first.done === true ? [] : [first.value], all), close });
    } catch (cause) {
      return E.left({ _tag: 'ReadModelUnavailable', cause });
    }
  };

  return {
    open,
    stop: () => {
      isStopped = true;
      tail.stop();
    },
  };
};
