/** Random choices that are the same again under the same seed. */
export type Random = {
  /** A whole number from 0 to `below` - 1. */
  readonly int: (below: number) => number;
  /** True in `share` of all cases. */
  readonly chance: (share: number) => boolean;
  /** One of a list that is not empty. */
  readonly pick: <A>(list: ReadonlyArray<A>) => A;
  readonly shuffled: <A>(list: ReadonlyArray<A>) => ReadonlyArray<A>;
};

/** One seed of several numbers: another one for each other combination. */
export const seedOf = (...parts: ReadonlyArray<number>): number =>
  parts.reduce((seed, part) => mixed(seed ^ Math.imul(part + 0x9e3779b9, 0x85ebca6b)), 0x811c9dc5);

const mixed = (bits: number): number => {
  const once = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  const twice = Math.imul(once ^ (once >>> 15), 0x735a2d97);
  return (twice ^ (twice >>> 15)) >>> 0;
};

/** A counter that is hashed (splitmix32): quick, and good enough to choose what to send. */
export const makeRandom = (seed: number): Random => {
  let counter = seed;
  const share = (): number => {
    counter = (counter + 0x9e3779b9) | 0;
    return mixed(counter) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(share() * below);
  const shuffled = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => {
    const left = [...list];
    return list.map(() => left.splice(int(left.length), 1)).flat();
  };
  return {
    int,
    chance: (wanted) => share() < wanted,
    pick: <A>(list: ReadonlyArray<A>): A => list[int(list.length)] as A, // reason: the list is not empty
    shuffled,
  };
};

/** Gives the members of a list that is not empty: all in random order, then all again in another. */
export const makeCycle = <A>(random: Random, list: ReadonlyArray<A>): (() => A) => {
  let left: Array<A> = [];
  return () => {
    if (left.length === 0) left = [...random.shuffled(list)];
    return left.pop() as A; // reason: the list is not empty
  };
};
