import type { Life } from '../simulate.js';
import type { StoreName } from '../stores/stores.js';

/** A life that is to be lived. */
export type OneLife = Life & {
  readonly seed: number;
  /** Default: memory. */
  readonly store?: StoreName;
};

/** What came of it. */
export type Lived = {
  readonly broken: ReadonlyArray<string>;
  readonly counts: Readonly<Record<string, number>>;
};

export type Live = (life: OneLife) => Promise<Lived>;
