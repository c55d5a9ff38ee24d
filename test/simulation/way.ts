import type { SimulatedProcess, World } from './world.js';

/** What may become of a call on its way. */
export type Mishap = 'Refused' | 'Lost' | undefined;

/** How a process reaches what it shares with others: a call takes effect after a while, and is answered a while later. */
export type Way = {
  /** `fail` makes what a call ends with that had no answer; it may have taken effect. */
  readonly call: <A>(name: string, effect: () => Promise<A>, fail: (cause: Error) => Promise<A>) => Promise<A>;
  /** As `call`, of what reads: each batch is a call. */
  readonly pull: <A>(
    name: string,
    source: AsyncIterable<A>,
    fail: (cause: Error) => Promise<never>,
  ) => AsyncIterable<A>;
  /** What comes by itself. */
  readonly hear: (task: () => void) => void;
};

/** Longest time to and from what is shared, ms; and how long an answer is waited for that does not come. */
const [WAY_MS, SILENT_MS] = [4, 2_000];

export const makeWay = (world: World, process: SimulatedProcess, mishapOf: (name: string) => Mishap): Way => {
  const travel = (): Promise<void> => process.arrive(world.random() * WAY_MS);

  const call: Way['call'] = async (name, effect, fail) => {
    await travel();
    const mishap = mishapOf(name);
    if (mishap === 'Refused') return fail(new Error('connect ECONNREFUSED'));
    const done = await effect();
    if (mishap === 'Lost') await process.arrive(SILENT_MS);
    await travel();
    return mishap === 'Lost' ? fail(new Error('the connection was lost')) : done;
  };

  return {
    call,
    pull: async function* (name, source, fail) {
      const reading = source[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await call(name, () => reading.next(), fail);
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await reading.return?.();
      }
    },
    hear: (task) => void travel().then(task),
  };
};
