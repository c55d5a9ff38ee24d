/** Draws that are the same again under the same seed. */
export type Random = {
  /** From 0 to below `limit`. */
  readonly integer: (limit: number) => number;
  readonly isOneIn: (count: number) => boolean;
  readonly pick: <A>(values: ReadonlyArray<A>) => A;
};

/** Mulberry32: 32 bits of state are enough for what clients do. */
export const makeRandom = (seed: number): Random => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (limit: number): number => Math.floor(next() * limit);
  return {
    integer,
    isOneIn: (count) => integer(count) === 0,
    pick: (values) => values[integer(values.length)]!,
  };
};
