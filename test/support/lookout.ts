import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type Clock, sleepBy } from '../../src/event-sourcing/clock.js';

/** Sees what becomes of the parts that it was given, whenever something happens to one of them, and asks at no other time. */
export type Lookout = {
  /** The same port: each of its answers, and each call of what it was given to call, is something that happens. */
  readonly on: <Port extends object>(port: Port) => Port;
  /** The same clock: so is each timer of it that ends. */
  readonly onClock: (clock: Clock) => Clock;
  /** Something else has happened. */
  readonly note: () => void;
  /** Looks now, and after each thing that happens, until it sees what satisfies; rejects with what it sees after too long. */
  readonly until: <A>(look: () => A | Promise<A>, satisfies?: (seen: A) => boolean, timeoutMs?: number) => Promise<A>;
};

/** No promise of the service, only when to give up: long enough for a machine that is busy with other tests. */
const LONG_ENOUGH_MS = 30_000;

type Call = (...given: ReadonlyArray<unknown>) => unknown;

const isCall = (value: unknown): value is Call => typeof value === 'function';

export const makeLookout = (): Lookout => {
  let happened = 0;
  const waiting = new Set<() => void>();

  const note = (): void => {
    happened += 1;
    for (const wake of [...waiting]) wake();
  };

  const after =
    (call: Call): Call =>
    (...given) => {
      const answer = call(...given);
      note();
      return answer;
    };

  async function* eachOf(batches: AsyncIterable<unknown>): AsyncGenerator {
    try {
      for await (const batch of batches) {
        note();
        yield batch;
      }
    } finally {
      note();
    }
  }

  /** What a port gives: a promise, batches, or what is called in turn. */
  const seen = (given: unknown): unknown => {
    if (given instanceof Promise) return given.finally(note);
    if (isCall(given))
      return (...args: ReadonlyArray<unknown>) => seen(given(...args.map((arg) => (isCall(arg) ? after(arg) : arg))));
    if (typeof given !== 'object' || given === null) return given;
    if (Symbol.asyncIterator in given) return eachOf(given as AsyncIterable<unknown>); // reason: it is one
    return Object.values(given).some(isCall) ? on(given) : given;
  };

  const on = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        return isCall(member) ? seen(member) : member;
      },
    });

  const until: Lookout['until'] = async (look, satisfies = Boolean, timeoutMs = LONG_ENOUGH_MS) => {
    const late = new AbortController();
    let wake = (): void => undefined;
    // pauses: no, it is when to give up
    const giveUp = setTimeout(() => {
      late.abort();
      wake();
    }, timeoutMs);
    try {
      for (;;) {
        // what has happened takes effect first
        await turn();
        const before = happened;
        const found = await look();
        if (satisfies(found)) return found;
        if (late.signal.aborted) throw new Error(`not what was looked for: ${inspect(found)}`);
        if (happened !== before) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
          waiting.add(resolve);
        });
        waiting.delete(wake);
      }
    } finally {
      clearTimeout(giveUp);
    }
  };

  return {
    on,
    onClock: (clock) => {
      const noted: Clock['after'] = (ms, task, options) => clock.after(ms, () => void after(task)(), options);
      return {
        ...clock,
        after: noted,
        sleep: sleepBy(noted),
        every: (ms, task, options) => clock.every(ms, () => void after(task)(), options),
        soon: (task) => clock.soon(() => void after(task)()),
      };
    },
    note,
    until,
  };
};
