import type { Life } from '../simulate.js';

/** A life that is to be lived. */
export type OneLife = Life & { readonly seed: number };

/** What came of it. */
export type Lived = {
  readonly broken: ReadonlyArray<string>;
  readonly counts: Readonly<Record<string, number>>;
};

export type Live = (life: OneLife) => Promise<Lived>;
