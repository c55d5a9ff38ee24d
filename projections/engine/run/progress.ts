import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import type { Cancel, Clock } from '../../../src/event-sourcing/clock.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { NoteAcknowledged } from './acknowledged.js';
import { FRESH_MS } from './comparison.js';

/** How long the note of a change may take once its answer waits for nothing else, ms. */
const NOTE_MS = 100;

/** How long a write waits before it is noted that its row is late, ms; what then is a false answer waits as long. */
export const HOLD_MS = 800;

/** How far the live rows of one read model have come, as this process knows it. Satisfies the port `ProjectionProgress`. */
export type Progress = {
  /**
   * True when the rows show everything up to `position`; false when the waiting budget ran out or `until` (of
   * `Clock.monotonic`) came first, and after `heldMs` while projecting is suspended. Before it is false, the position is
   * noted, if that is possible in time.
   */
  readonly waitFor: (position: Position, until?: number) => Promise<boolean>;
  /** How long a wait that ends with false lasts at least, unless `until` came first. */
  readonly heldMs: number;
  /** Whether the rows lack a change for which this process has waited in vain. */
  readonly isBehind: () => boolean;
  /** Position up to which the rows are complete; -1 before it is known. Only `forget` sets it back. */
  readonly reached: () => Position;
  /** Resolves when `reached` is another position than `known`, and when `signal` aborts. Nobody is asked to hurry. */
  readonly untilMoved: (known: Position, signal: AbortSignal) => Promise<void>;
  /** Whether someone waits. */
  readonly isAwaited: () => boolean;
  /** Resolves as soon as someone waits, after `ms`, and when `signal` aborts. */
  readonly untilAwaited: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The rows show everything up to `position`. */
  readonly advance: (position: Position) => void;
  /** Projecting has stopped: `waitFor` gives false after `heldMs` until `resume` or `advance`. */
  readonly suspend: () => void;
  readonly resume: () => void;
  /** The rows are of another log, or the log has lost events: everything known of them is void. */
  readonly forget: () => void;
  /** How often it was forgotten: what was read of the rows before that must not advance it. */
  readonly forgotten: () => number;
  /** The rows were put back, and show no more than what comes up to `position`: they lag until they are as far again. */
  readonly fallBack: (position: Position) => void;
};

type Waiter = {
  readonly position: Position;
  readonly finish: (isReached: boolean) => void;
  /** It waits no longer than it must. */
  readonly hurry: () => void;
};

type ProgressOptions = {
  /** How long the answer to a write waits for its row at least, where other processes serve rows. */
  readonly heldMs?: number;
  /** Notes that a change is acknowledged though the rows lack it. */
  readonly note?: NoteAcknowledged;
};

const later = (one: Position, other: Position): Position => (one > other ? one : other);

/** `budgetMs`: how long the response to a write waits for its row. */
export const makeProgress = (
  clock: Clock,
  budgetMs: number = SILENCE_MS,
  { heldMs = 0, note = () => Promise.resolve() }: ProgressOptions = {},
): Progress => {
  let reached = -1n;
  /** Up to which the rows lag. */
  let required = -1n;
  let isSuspended = false;
  let forgotten = 0;
  // ordered by position; writes arrive in about that order, so that a new one is inserted near the end
  const waiters: Array<Waiter> = [];
  let onAwaited = (): void => undefined;
  const observers = new Set<() => void>();

  const noteMoved = (): void => {
    for (const observer of [...observers]) observer();
  };

  const enqueue = (waiter: Waiter): void => {
    let at = waiters.length;
    while (at > 0 && (waiters[at - 1]?.position ?? -1n) > waiter.position) at -= 1;
    waiters.splice(at, 0, waiter);
    onAwaited();
  };

  const remove = (waiter: Waiter): void => {
    const at = waiters.indexOf(waiter);
    if (at !== -1) waiters.splice(at, 1);
  };

  const waitFor = (position: Position, until = Infinity): Promise<boolean> => {
    if (position <= reached) return Promise.resolve(true);
    const [began, before] = [clock.monotonic(), reached];
    const left = Math.max(0, until - began);
    const ms = Math.min(budgetMs, left);
    const beforeNote = Math.min(HOLD_MS, ms);
    return new Promise((resolve) => {
      let noting: Promise<unknown> | undefined;
      let cancel: Cancel | undefined;
      const noteOnce = (): Promise<unknown> => (noting ??= note(position).catch(() => undefined));
      const finish = (isReached: boolean): void => {
        cancel?.();
        if (isReached) {
          resolve(true);
          return;
        }
        remove(waiter);
        required = later(required, position);
        const noteMs = Math.min(
          Math.max(0, until - clock.monotonic()),
          Math.max(NOTE_MS, began + HOLD_MS - clock.monotonic()),
        );
        const cancelGivingUp = clock.after(noteMs, () => resolve(false));
        void noteOnce().then(() => {
          cancelGivingUp();
          resolve(false);
        });
      };
      const endAfter = (ms: number, end: () => void): void => {
        cancel?.();
        if (ms <= 0) end();
        else cancel = clock.after(ms, end);
      };
      const hurry = (): void => {
        void noteOnce();
        endAfter(began + Math.min(heldMs, left) - clock.monotonic(), () => finish(false));
      };
      const waitOn = (): void => {
        void noteOnce();
        endAfter(ms - beforeNote, () => {
          // the rows have not advanced in the whole of the budget: later writes need not wait in vain, too
          isSuspended ||= budgetMs <= left && reached === before;
          finish(false);
        });
      };
      const waiter: Waiter = { position, finish, hurry };
      enqueue(waiter);
      if (isSuspended) hurry();
      else endAfter(beforeNote, waitOn);
    });
  };

  const suspend = (): void => {
    isSuspended = true;
    for (const { hurry } of [...waiters]) hurry();
  };

  const advance = (position: Position): void => {
    if (position <= reached) return;
    reached = position;
    isSuspended = false;
    const beyond = waiters.findIndex((waiter) => waiter.position > position);
    for (const { finish } of waiters.splice(0, beyond === -1 ? waiters.length : beyond)) finish(true);
    noteMoved();
  };

  return {
    waitFor,
    heldMs: heldMs === 0 ? 0 : FRESH_MS,
    isBehind: () => required > reached,
    reached: () => reached,
    untilMoved: (known, signal) => {
      if (reached !== known || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const settle = (): void => {
          observers.delete(settle);
          signal.removeEventListener('abort', settle);
          resolve();
        };
        observers.add(settle);
        signal.addEventListener('abort', settle);
      });
    },
    isAwaited: () => waiters.length > 0,
    untilAwaited: async (ms, signal) => {
      if (waiters.length > 0) return;
      const awaited = new AbortController();
      onAwaited = () => awaited.abort();
      await clock.sleep(ms, AbortSignal.any([signal, awaited.signal]));
      onAwaited = () => undefined;
    },
    advance,
    suspend,
    resume: () => {
      isSuspended = false;
    },
    forgotten: () => forgotten,
    fallBack: (position) => {
      if (position >= reached) return;
      const before = reached;
      reached = position;
      required = later(required, before);
      noteMoved();
    },
    forget: () => {
      forgotten += 1;
      reached = -1n;
      required = -1n;
      suspend();
      noteMoved();
    },
  };
};
