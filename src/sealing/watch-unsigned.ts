import { type Clock, repeat } from '../event-sourcing/clock.js';
import type { Position } from '../event-sourcing/recorded-event.js';

/** So long an event may be without a checkpoint, ms: as a rule it has one after a second. */
export const UNSIGNED_MS = 30_000;

/** How often it looks, ms. */
const LOOK_MS = 2_000;

/** Heads of the log that are remembered, until they are signed: as many as there are looks in `UNSIGNED_MS`, and one. */
const MOST = UNSIGNED_MS / LOOK_MS + 1;

/** How far the ledger is: it has `size` events, which are all of the log up to `upTo`. */
export type LedgerExtent = { readonly size: number; readonly upTo: Position };

/** Asked one after the other; each rejects with what its store throws. */
type UnsignedDeps = {
  readonly clock: Clock;
  /** Of the events that are in the tree; undefined while there are none. */
  readonly findHead: () => Promise<Position | undefined>;
  readonly findExtent: () => Promise<LedgerExtent>;
  /** How many events the newest checkpoint in Postgres is over; undefined where nobody is known to sign. */
  readonly findSigned: () => Promise<number | undefined>;
};

export type UnsignedWatch = {
  /** For how long, as this process has seen it, there have been events that no checkpoint is over, ms; 0: there are none. */
  readonly unsignedMs: () => number;
  /** How many events the newest checkpoint is over; undefined before that is known. */
  readonly signed: () => number | undefined;
  readonly stop: () => Promise<void>;
};

/** The head of the log at a moment, and how many events the ledger has once it is as far. */
type Mark = { readonly at: number; readonly head: Position; readonly size: number | undefined };

/**
 * Watches whether all events come under a checkpoint, whoever signs: it compares the log with the ledger, and the ledger
 * with the newest checkpoint. What cannot be asked counts as not signed. A log that has lost its newest events is no reason
 * to wait for them.
 */
export const watchUnsigned = (deps: UnsignedDeps): UnsignedWatch => {
  const { clock, findHead, findExtent, findSigned } = deps;
  const stopping = new AbortController();
  /** The oldest first. */
  let marks: ReadonlyArray<Mark> = [];
  let known: number | undefined;

  const noteHead = (head: Position | undefined, at: number): void => {
    const last = marks.at(-1);
    marks = marks.map((mark) => (mark.head > (head ?? -1n) ? { ...mark, head: head ?? -1n } : mark));
    if (head !== undefined && marks.length < MOST && (last === undefined || last.head < head))
      marks = [...marks, { at, head, size: undefined }];
  };

  const noteExtent = ({ size, upTo }: LedgerExtent): void => {
    marks = marks.map((mark) => (mark.size === undefined && mark.head <= upTo ? { ...mark, size } : mark));
  };

  const look = async (): Promise<void> => {
    const at = clock.monotonic();
    noteHead(await findHead(), at);
    noteExtent(await findExtent());
    const signed = await findSigned();
    known = signed;
    marks = signed === undefined ? [] : marks.filter(({ size }) => size === undefined || size > signed);
  };

  const watching = repeat(clock, LOOK_MS, stopping.signal, () => look().catch(() => undefined));

  return {
    unsignedMs: () => {
      const [oldest] = marks;
      return oldest === undefined ? 0 : clock.monotonic() - oldest.at;
    },
    signed: () => known,
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};
