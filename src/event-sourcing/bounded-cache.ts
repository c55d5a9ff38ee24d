/**
 * A cache of at most `2 × generation` entries that forgets what was not used for a generation. Two generations
 * instead of one ordered Map: evicting the oldest key of a large Map walks its tombstones (26.8 µs at 20,000 entries,
 * against 0.5 µs).
 */
export type BoundedCache<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => void;
  readonly delete: (key: Key) => void;
};

export const makeBoundedCache = <Key, Value>(generation: number): BoundedCache<Key, Value> => {
  let young = new Map<Key, Value>();
  let old = new Map<Key, Value>();

  const set = (key: Key, value: Value): void => {
    if (young.size >= generation && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };

  const get = (key: Key): Value | undefined => {
    const recent = young.get(key);
    if (recent !== undefined) return recent;
    const aged = old.get(key);
    if (aged !== undefined) set(key, aged);
    return aged;
  };

  return {
    get,
    set,
    delete: (key) => {
      young.delete(key);
      old.delete(key);
    },
  };
};
