import { makeInTurn } from '../../support/in-turn.js';
import type { Way } from '../way.js';
import type { World } from '../world.js';

/**
 * Has a call take effect as one: no other begins before it has ended, and no time passes in the world meanwhile, however long it
 * takes on the machine.
 */
export type Whole = <A>(call: () => Promise<A>) => Promise<A>;

/** `begin` runs before each call. */
export const makeWhole = ({ standStill }: World, begin: () => void): Whole => {
  const inTurn = makeInTurn();
  return (call) =>
    standStill(
      inTurn(() => {
        begin();
        return call();
      }),
    );
};

/** The way to what is on the machine: no call is on it for any time, and none fails on it. */
export const wayOf = (whole: Whole): Way => ({
  call: (_name, effect) => whole(effect),
  pull: async function* (_name, source) {
    const reading = source[Symbol.asyncIterator]();
    for (;;) {
      const next = await whole(() => reading.next());
      if (next.done === true) return;
      yield next.value;
    }
  },
  follow: (_name, source) => source,
  hear: (task) => {
    task();
  },
});
