import type { StoredTree } from './wrapped-tree.js';

/** Where all processes of an installation keep the keys of their log, wrapped. Its members throw errors of the database. */
export type KeyState = {
  /** Undefined where there is none. */
  readonly read: () => Promise<StoredTree | undefined>;
  /** The same, where it is another than this one: newer, or an older one that was put back. */
  readonly readOther: (known: StoredTree) => Promise<StoredTree | undefined>;
  /** Stores the first state, unless another process has done so; gives the one that is stored. */
  readonly storeFirst: (first: StoredTree) => Promise<StoredTree>;
  /**
   * Replaces the state by the one that `change` makes of it, which sees the newest, and nobody changes it meanwhile. Throws
   * what `change` throws, and where there is no state.
   */
  readonly replace: (change: (stored: StoredTree) => StoredTree) => Promise<void>;
  readonly close: () => Promise<void>;
};
