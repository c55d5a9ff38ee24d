import type { KeyState } from '../../../src/event-sourcing/encryption/key-state.js';
import type { StoredTree } from '../../../src/event-sourcing/encryption/wrapped-tree.js';

export type MemoryKeyState = KeyState & {
  /** As it was stored first, when nothing was destroyed. */
  readonly first: () => StoredTree | undefined;
  /** Puts back a state that was there before. */
  readonly putBack: (stored: StoredTree) => void;
};

/** The state of the keys in memory: any number of processes of a test share one. */
export const makeMemoryKeyState = (): MemoryKeyState => {
  const states: Array<StoredTree> = [];
  const newest = (): StoredTree | undefined => states.at(-1);
  return {
    first: () => states[0],
    putBack: (stored) => {
      states.push(stored);
    },
    read: () => Promise.resolve(newest()),
    readOther: ({ wrapped }) => {
      const stored = newest();
      return Promise.resolve(stored?.wrapped.equals(wrapped) === true ? undefined : stored);
    },
    storeFirst: (first) => {
      const stored = newest() ?? first;
      if (states.length === 0) states.push(first);
      return Promise.resolve(stored);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, memory is not
    replace: async (change) => {
      const stored = newest();
      if (stored === undefined) throw new Error('the keys are not there any more');
      states.push(change(stored));
    },
    close: () => Promise.resolve(),
  };
};
