import { type Clock, sleepBy } from '../../src/event-sourcing/clock.js';
import { makeNews } from './news.js';

type Waiting = { at: number; readonly everyMs?: number; readonly task: () => void };

export type ManualClock = Clock & {
  /** Lets `ms` pass: runs what falls due, in order of its time, and what follows from it. */
  readonly advance: (ms: number) => Promise<void>;
  /** As if the process were busy for `ms`: what falls due runs before anything is read of what comes `meanwhile`. */
  readonly block: (ms: number, meanwhile: () => void) => Promise<void>;
  /** Sets the time of day, forward or back by `ms`; what waits is not touched by it. */
  readonly setBy: (ms: number) => void;
  /** How many timers and sleeps wait. */
  readonly waiting: () => number;
  /** Resolves when so many do. */
  readonly untilWaiting: (count: number) => Promise<void>;
};

/** Turns of the event loop in which nobody has asked for a further one. */
const TURNS = 3;

/** As with a timer of Node: what slept for no time, again and again, would hold up the time. */
const lasting = (ms: number): number => (ms > 0 ? ms : 1);

/** A clock that stands still but when a test lets time pass. */
export const makeManualClock = (began: Date = new Date('2026-01-02T03:04:05.678Z')): ManualClock => {
  const timers = new Set<Waiting>();
  const news = makeNews();
  let now = 0;
  let soon = 0;
  let day = began.getTime();
  const remove = (waiting: Waiting): void => {
    timers.delete(waiting);
    news.tell();
  };
  const add = (waiting: Waiting) => {
    timers.add(waiting);
    news.tell();
    return () => remove(waiting);
  };
  const after: Clock['after'] = (ms, task) => add({ at: now + lasting(ms), task });
  /** What was woken does all that needs no time: promises, ticks, and the turns of the event loop that it asks for. */
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < TURNS; turns = soon > 0 ? 0 : turns + 1)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const earliest = (until: number): Waiting | undefined => {
    const due = [...timers].filter(({ at }) => at <= until);
    // of those that are due together, the first asked for is the first
    return due.reduce<Waiting | undefined>(
      (first, one) => (first === undefined || one.at < first.at ? one : first),
      undefined,
    );
  };
  return {
    date: () => new Date(day + now),
    monotonic: () => now,
    computed: () => 0,
    sleep: sleepBy(after),
    after,
    every: (ms, task) => {
      const everyMs = lasting(ms);
      return add({ at: now + everyMs, everyMs, task });
    },
    soon: (task) => {
      let isWaiting = true;
      const end = (): void => {
        if (isWaiting) soon -= 1;
        isWaiting = false;
      };
      soon += 1;
      const immediate = setImmediate(() => {
        end();
        task();
      });
      return () => {
        clearImmediate(immediate);
        end();
      };
    },
    advance: async (ms) => {
      await settled();
      const until = now + ms;
      for (let next = earliest(until); next !== undefined; next = earliest(until)) {
        now = Math.max(now, next.at);
        if (next.everyMs === undefined) remove(next);
        else next.at += next.everyMs;
        next.task();
        await settled();
      }
      now = Math.max(now, until);
    },
    block: async (ms, meanwhile) => {
      // what asks for the next turn of the event loop here has it after a look at what has come
      await new Promise((resolve) => setImmediate(resolve));
      meanwhile();
      now += ms;
      for (const due of [...timers].filter(({ at }) => at <= now)) {
        if (due.everyMs === undefined) remove(due);
        else due.at = now + due.everyMs;
        due.task();
      }
    },
    setBy: (ms) => void (day += ms),
    waiting: () => timers.size,
    untilWaiting: (count) => news.until(() => timers.size === count),
  };
};
