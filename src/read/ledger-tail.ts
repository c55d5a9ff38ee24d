import { either as E } from 'fp-ts';
import type { Clock } from '../event-sourcing/clock.js';
import type { Position } from '../event-sourcing/recorded-event.js';
import type { LedgerEntry, LedgerFilter, LedgerQueries, LedgerRow } from './ledger.js';

/** How far the rows of the ledger are, without asking the database. */
export type LedgerProgress = {
  readonly reached: () => Position;
  readonly untilMoved: (known: Position, signal: AbortSignal) => Promise<void>;
};

/** One who is given what comes. */
export type Watcher = {
  /** The index behind which it is given everything that its filter wants. */
  readonly from: bigint;
  /**
   * What came since it was asked last, and else what comes next; nothing where that takes longer than `ms`. Undefined when
   * there will be nothing more: it has left, was too slow, or the tail has ended.
   */
  next(ms: number): Promise<ReadonlyArray<LedgerEntry> | undefined>;
  leave(): void;
};

export type LedgerTail = {
  /** `last`: index of the last event, or a smaller one. Where nobody watches yet, reading begins behind it. */
  readonly watch: (filter: LedgerFilter, last: bigint, onTooSlow: () => void) => Watcher;
  /** Ends what is watched, now and later. */
  readonly stop: () => void;
};

/** Events that are read together. */
const PAGE = 500;

/** Until it is tried again when the ledger cannot be read, ms. */
const RETRY_MS = 1_000;

/** Characters that wait for one watcher: with more, it is too slow. What waits is shared by all who wait for it. */
const MOST_WAITING = 1024 * 1024;

class OneWatcher implements Watcher {
  readonly from: bigint;
  readonly filter: LedgerFilter;
  readonly key: string;
  readonly #clock: Clock;
  readonly #onLeave: (watcher: OneWatcher) => void;
  readonly #onTooSlow: () => void;
  #waiting: Array<ReadonlyArray<LedgerEntry>> = [];
  #size = 0;
  #isOver = false;
  #wake = (): void => undefined;

  constructor(
    clock: Clock,
    filter: LedgerFilter,
    from: bigint,
    onTooSlow: () => void,
    onLeave: (watcher: OneWatcher) => void,
  ) {
    this.#clock = clock;
    this.filter = filter;
    this.key = JSON.stringify(filter);
    this.from = from;
    this.#onTooSlow = onTooSlow;
    this.#onLeave = onLeave;
  }

  async next(ms: number): Promise<ReadonlyArray<LedgerEntry> | undefined> {
    if (this.#waiting.length === 0 && !this.#isOver) await this.#untilWoken(ms);
    if (this.#isOver) return undefined;
    const [first = [], ...others] = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    // mostly there is one, and it is the same list for all who have the same filter
    return others.length === 0 ? first : [first, ...others].flat();
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    this.#onLeave(this);
    this.#wake();
  }

  take(entries: ReadonlyArray<LedgerEntry>): void {
    let size = this.#size;
    for (const { body } of entries) size += body.length;
    if (this.#waiting.length > 0 && size > MOST_WAITING) {
      this.leave();
      this.#onTooSlow();
      return;
    }
    this.#size = size;
    this.#waiting.push(entries);
    this.#wake();
  }

  #untilWoken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#wake = () => undefined;
        resolve();
      };
      const cancel = this.#clock.after(ms, wake);
      this.#wake = wake;
    });
  }
}

type TailDeps = {
  readonly clock: Clock;
  readonly queries: Pick<LedgerQueries, 'rowsAfter'>;
  readonly progress: LedgerProgress;
};

/** One reading of the ledger, from the first watcher to the last. */
class Reading {
  readonly #deps: TailDeps;
  readonly #watchers = new Set<OneWatcher>();
  readonly #ending = new AbortController();
  /** Index of the last event that was given to the watchers. */
  #tip: bigint;

  constructor(deps: TailDeps, last: bigint) {
    this.#deps = deps;
    this.#tip = last;
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  watch(filter: LedgerFilter, onTooSlow: () => void): OneWatcher {
    const watcher = new OneWatcher(this.#deps.clock, filter, this.#tip, onTooSlow, (leaving) => {
      this.#watchers.delete(leaving);
      if (this.#watchers.size === 0) this.#ending.abort();
    });
    this.#watchers.add(watcher);
    return watcher;
  }

  end(): void {
    this.#ending.abort();
    for (const watcher of [...this.#watchers]) watcher.leave();
  }

  async read(): Promise<void> {
    const { clock, queries, progress } = this.#deps;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // asked before the rows are read: what comes meanwhile moves it, and is read next
      const reached = progress.reached();
      const read = await queries.rowsAfter(this.#tip, PAGE);
      if (E.isLeft(read)) {
        await clock.sleep(RETRY_MS, signal);
        continue;
      }
      this.#give(read.right.rows);
      if (!read.right.isLast) continue;
      await progress.untilMoved(reached, signal);
      // the rows are void, because they are of another log: indexes of theirs mean nothing any more
      if (progress.reached() < reached) this.end();
    }
  }

  #give(rows: ReadonlyArray<LedgerRow>): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#tip = last.index;
    const byFilter = new Map<string, ReadonlyArray<LedgerEntry>>();
    for (const watcher of [...this.#watchers]) {
      let wanted = byFilter.get(watcher.key);
      if (wanted === undefined) {
        wanted = rows.filter((row) => row.isIn(watcher.filter));
        byFilter.set(watcher.key, wanted);
      }
      if (wanted.length > 0) watcher.take(wanted);
    }
  }
}

/**
 * The end of the ledger, read once for all who watch it: when its rows move, and not at all while nobody watches. Who has
 * the same filter is given the same lists.
 */
export const makeLedgerTail = (deps: TailDeps): LedgerTail => {
  let reading: Reading | undefined;
  let isStopped = false;
  return {
    watch: (filter, last, onTooSlow) => {
      const isNew = reading === undefined || reading.isOver;
      const current = reading === undefined || reading.isOver ? new Reading(deps, last) : reading;
      reading = current;
      const watcher = current.watch(filter, onTooSlow);
      if (isStopped) watcher.leave();
      else if (isNew) void current.read();
      return watcher;
    },
    stop: () => {
      isStopped = true;
      reading?.end();
    },
  };
};
