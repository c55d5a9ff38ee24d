import { type Clock, sleepBy } from '../../src/event-sourcing/clock.js';
import type { Random } from '../../src/event-sourcing/random.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { v7 as uuidv7 } from 'uuid';

/** Numbers from 0 to below 1 (sfc32, of PractRand): the same ones for the same seed. */
const makeNumbers = (seed: number): (() => number) => {
  let [a, b, c, counter] = [0, Math.trunc(seed / 2 ** 32) | 0, seed | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 15; round += 1) next();
  return next;
};

/** Gives whether it had something to do. */
type Task = () => boolean;

const done =
  (resolve: () => void): Task =>
  () => {
    resolve();
    return true;
  };

/** What waits for its time. Of what is due together, chance says what comes first. */
type Waiting = { readonly at: number; readonly tie: number; readonly number: number; readonly run: Task };

const isBefore = (one: Waiting, other: Waiting): boolean =>
  one.at !== other.at ? one.at < other.at : one.tie !== other.tie ? one.tie < other.tie : one.number < other.number;

/** A heap whose first element is due first. */
const makeQueue = () => {
  const heap: Array<Waiting> = [];
  const at = (index: number): Waiting => heap[index]!;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [at(other), at(one)];
  };
  return {
    first: (): Waiting | undefined => heap[0],
    push: (waiting: Waiting): void => {
      heap.push(waiting);
      for (let index = heap.length - 1; index > 0;) {
        const parent = (index - 1) >> 1;
        if (!isBefore(at(index), at(parent))) return;
        swap(index, parent);
        index = parent;
      }
    },
    shift: (): Waiting | undefined => {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ;) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2])
          if (child < heap.length && isBefore(at(child), at(least))) least = child;
        if (least === index) return first;
        swap(index, least);
        index = least;
      }
    },
  };
};

/** One process of the world: its clock may be wrong, and nothing of it runs once it was killed. */
export type SimulatedProcess = Runtime & {
  /** Nothing runs until so many ms have passed; then all that was due meanwhile. */
  readonly freeze: (ms: number) => void;
  /** From now on nothing of it runs. */
  readonly kill: () => void;
  readonly isAlive: () => boolean;
  /** When it was frozen for the last time until now, or is frozen until; ms since the beginning. */
  readonly awakeSince: () => number;
  /** Sets its time of day, forward or back by `ms`. */
  readonly setBy: (ms: number) => void;
  /** Resolves after `ms`, or when it is not frozen any more; never once it was killed. Is no timer of it. */
  readonly arrive: (ms: number) => Promise<void>;
  /** Rejects when it is killed. */
  readonly end: Promise<never>;
  /** How many timers and sleeps wait. */
  readonly waiting: () => number;
};

/** Time that passes only when all work that needs none is done, and chance from a seed. */
export type World = {
  /** Ms since the beginning. */
  readonly now: () => number;
  readonly random: () => number;
  /** Resolves after `ms`, whatever is killed. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly begin: () => SimulatedProcess;
  /** Has time stand still until work is done that takes real time, such as loading a module. */
  readonly standStill: <A>(work: Promise<A>) => Promise<A>;
  /** Runs until nothing waits, or the time has come. */
  readonly run: (until: number) => Promise<void>;
};

const BEGAN = Date.parse('2026-01-02T03:04:05.678Z');

export const makeWorld = (seed: number): World => {
  const random = makeNumbers(seed);
  const queue = makeQueue();
  let [now, number, outside] = [0, 0, 0];
  /** Goes on when no work takes real time any more. */
  let goOn: (() => void) | undefined;

  const at = (time: number, run: Task): void =>
    queue.push({ at: Math.max(now, time), tie: random(), number: (number += 1), run });

  const begin = (): SimulatedProcess => {
    let isAlive = true;
    let [frozenUntil, offset] = [0, 0];
    const timers = new Set<object>();
    const drawn = makeNumbers(Math.floor(random() * 2 ** 32));

    let die = (_cause: Error): void => undefined;
    const end = new Promise<never>((_, reject) => (die = reject));
    end.catch(() => undefined);

    /** Runs a task when its time has come and this process runs. */
    const reach = (ms: number, task: Task): void => {
      const run: Task = () => {
        if (isAlive && now >= frozenUntil) return task();
        if (isAlive) at(frozenUntil, run);
        return false;
      };
      at(now + Math.max(0, ms), run);
    };
    const after: Clock['after'] = (ms, task) => {
      const timer = {};
      timers.add(timer);
      reach(ms, () => {
        if (!timers.delete(timer)) return false;
        task();
        return true;
      });
      return () => void timers.delete(timer);
    };
    const every: Clock['every'] = (ms, task) => {
      let cancel = (): void => undefined;
      const again = (): void => {
        cancel = after(ms, () => {
          again();
          task();
        });
      };
      again();
      return () => cancel();
    };
    const bytes: Random['bytes'] = (size) => Buffer.from(Array.from({ length: size }, () => Math.floor(drawn() * 256)));
    const date = (): Date => new Date(Math.floor(BEGAN + now + offset));
    return {
      clock: {
        date,
        monotonic: () => now,
        computed: () => 0,
        sleep: sleepBy(after),
        after,
        every,
        soon: (task) => after(0, task),
      },
      random: {
        bytes,
        uuid: () => uuidv7({ msecs: date().getTime(), random: bytes(16) }),
        fraction: drawn,
      },
      arrive: (ms) => new Promise((resolve) => reach(ms, done(resolve))),
      end,
      freeze: (ms) => void (frozenUntil = Math.max(frozenUntil, now + ms)),
      kill: () => {
        isAlive = false;
        timers.clear();
        die(new Error('killed'));
      },
      isAlive: () => isAlive,
      awakeSince: () => frozenUntil,
      setBy: (ms) => void (offset += ms),
      waiting: () => timers.size,
    };
  };

  return {
    now: () => now,
    random,
    sleep: (ms) => new Promise((resolve) => at(now + ms, done(resolve))),
    begin,
    standStill: async (work) => {
      outside += 1;
      try {
        return await work;
      } finally {
        outside -= 1;
        // what waits for the work comes first
        if (outside === 0 && goOn !== undefined) setImmediate(goOn);
        if (outside === 0) goOn = undefined;
      }
    },
    run: (until) =>
      new Promise((resolve, reject) => {
        // promises, ticks and streams in memory have settled when the next turn of the event loop comes
        const turn = (): void => {
          if (outside > 0) {
            goOn = turn;
            return;
          }
          try {
            for (let hasRun = false; !hasRun;) {
              const next = queue.first();
              if (next === undefined || next.at > until) {
                now = Math.max(now, until);
                resolve();
                return;
              }
              queue.shift();
              now = next.at;
              hasRun = next.run();
            }
            setImmediate(turn);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        setImmediate(turn);
      }),
  };
};

/** Runs the world until the work is done. */
export const within = async <A>(world: World, work: Promise<A>): Promise<A> => {
  let isDone = false;
  const end = (): void => void (isDone = true);
  work.then(end, end);
  const isOver = (): boolean => isDone;
  while (!isOver()) await world.run(world.now() + 10);
  return work;
};
