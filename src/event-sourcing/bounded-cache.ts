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

type Entry<Value> = { readonly value: Value; readonly bytes: number };

const GENERATION_BYTES = 8 * 1024 * 1024;

/** `bytesOf`: what a value takes; a generation ends with so many entries, or with the one that makes it 8 MiB. */
export const makeBoundedCache = <Key, Value>(
  generation: number,
  bytesOf: (value: Value) => number = () => 0,
): BoundedCache<Key, Value> => {
  let young = new Map<Key, Entry<Value>>();
  let old = new Map<Key, Entry<Value>>();
  let youngBytes = 0;

  const put = (key: Key, entry: Entry<Value>): void => {
    const replaced = young.get(key);
    if (replaced === undefined && (young.size >= generation || youngBytes >= GENERATION_BYTES)) {
      old = young;
      young = new Map();
      youngBytes = 0;
    }
    youngBytes += entry.bytes - (replaced?.bytes ?? 0);
    young.set(key, entry);
  };

  return {
    get: (key) => {
      const recent = young.get(key);
      if (recent !== undefined) return recent.value;
      const aged = old.get(key);
      if (aged !== undefined) put(key, aged);
      return aged?.value;
    },
    set: (key, value) => put(key, { value, bytes: bytesOf(value) }),
    delete: (key) => {
      youngBytes -= young.get(key)?.bytes ?? 0;
      young.delete(key);
      old.delete(key);
    },
  };
};
