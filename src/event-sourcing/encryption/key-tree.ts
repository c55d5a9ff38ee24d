import { hash as digest } from 'node:crypto';
import { makeBoundedCache } from '../bounded-cache.js';
import type { Random } from '../random.js';
import type { Revision, StreamName } from '../recorded-event.js';
import { counterMode, type CounterMode } from './counter-mode.js';

/** A place in the tree: the hexadecimal digits from the root to it. */
export type KeyPath = string & { readonly _brand: 'KeyPath' };

/** The key of one event where it is about another person than the record; else the key of the record's own events. */
type KeyOwner = Revision | 'record';

const SEED_BYTES = 32;
const RECORD_DIGITS = 16;
/** Of a revision, whose digits are counted by one. */
const REVISION_DIGITS = 15;
const MAX_DIGITS = RECORD_DIGITS + 1 + REVISION_DIGITS;
const PATH_BYTES = MAX_DIGITS / 2;
/** The digits, filled up with zeros, how many there are, and the seed. */
const ENTRY_BYTES = PATH_BYTES + 1 + SEED_BYTES;
/** Largest state, bytes: about 5,000 destroyed records. */
export const MAX_KEY_TREE_BYTES = 64 * 1024 * 1024;

/** Records whose seed is remembered: at most twice as many. */
const REMEMBERED = 25_000;
/** Places whose cipher is remembered, which takes some 1.4 KB of memory and 7 µs to make: at most twice as many. */
const CIPHERS = 2_000;

// reason: these functions alone make paths
const asPath = (digits: string): KeyPath => digits as KeyPath;

/** The events of one record are read and written one after the other. */
let latest = { stream: '', path: asPath(''), own: asPath('') };

const placesOf = (stream: StreamName): typeof latest => {
  if (latest.stream !== stream) {
    const digits = digest('sha256', stream, 'hex').slice(0, RECORD_DIGITS);
    latest = { stream, path: asPath(digits), own: asPath(`${digits}0`) };
  }
  return latest;
};

/** The place of everything of a record: the first 64 bits of the SHA-256 of the name of its stream. */
export const recordPath = (stream: StreamName): KeyPath => placesOf(stream).path;

/** The place of a key: `0` below its record, or how many digits the revision has, and these. No place begins with another. */
export const keyPath = (stream: StreamName, owner: KeyOwner): KeyPath => {
  if (owner === 'record') return placesOf(stream).own;
  const digits = owner.toString(16);
  return asPath(`${recordPath(stream)}${digits.length.toString(16)}${digits}`);
};

const LABEL = Buffer.from('erasure key\n');
const hashed = Buffer.alloc(LABEL.length + SEED_BYTES + 1);
LABEL.copy(hashed);

/** SHA-256 of the label, the seed and the digit as a byte. A seed is a text with a character for each byte. */
const childOf = (seed: string, digit: number): string => {
  hashed.write(seed, LABEL.length, 'latin1');
  hashed[LABEL.length + SEED_BYTES] = digit;
  return digest('sha256', hashed, 'binary');
};

/** What a seed becomes on the way along these digits. */
const derive = (seed: string, digits: string): string => {
  let derived = seed;
  for (const digit of digits) derived = childOf(derived, parseInt(digit, 16));
  return derived;
};

type Entry = { readonly path: string; readonly seed: string };

const pathBytes = (digits: string): Buffer => Buffer.from(digits.padEnd(MAX_DIGITS, '0'), 'hex');

const byPath = (one: Entry, other: Entry): number =>
  one.path === other.path ? 0 : one.path.padEnd(MAX_DIGITS, '0') < other.path.padEnd(MAX_DIGITS, '0') ? -1 : 1;

const written = (entries: ReadonlyArray<Entry>): Buffer => {
  const bytes = Buffer.alloc(entries.length * ENTRY_BYTES);
  [...entries].sort(byPath).forEach(({ path, seed }, index) => {
    const start = index * ENTRY_BYTES;
    pathBytes(path).copy(bytes, start);
    bytes[start + PATH_BYTES] = path.length;
    bytes.write(seed, start + PATH_BYTES + 1, 'latin1');
  });
  return bytes;
};

const DIGITS = Array.from({ length: 16 }, (_, digit) => digit.toString(16));

/** What is left of an entry without these places, of which each is below it, at it or above it. */
const prune = ({ path, seed }: Entry, places: ReadonlyArray<KeyPath>): ReadonlyArray<Entry> => {
  if (places.length === 0) return [{ path, seed }];
  if (places.some((place) => path.startsWith(place))) return [];
  return DIGITS.flatMap((digit, at) => {
    const child = path + digit;
    return prune(
      { path: child, seed: childOf(seed, at) },
      places.filter((place) => place.startsWith(child)),
    );
  });
};

/**
 * The keys by which the data of events is encrypted at rest, all derived from one random seed, each of which can be destroyed
 * by itself: the puncturable function of Goldreich, Goldwasser and Micali. What is kept are the seeds of some places, of which
 * none is below another. The key of a place is derived from the seed above it. To destroy a place is to keep, instead of the
 * seed above it, those of its siblings along the way: no kept seed is above a destroyed place, and SHA-256 cannot be turned
 * back. Immutable.
 */
export class KeyTree {
  readonly #bytes: Buffer;
  readonly #records = makeBoundedCache<KeyPath, string>(REMEMBERED);
  readonly #ciphers = makeBoundedCache<KeyPath, CounterMode>(CIPHERS);

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A tree of which nothing is destroyed. */
  static grow(random: Random): KeyTree {
    return new KeyTree(written([{ path: '', seed: random.bytes(SEED_BYTES).toString('latin1') }]));
  }

  /** Undefined where these are not bytes that `toBytes` gave. */
  static fromBytes(bytes: Buffer): KeyTree | undefined {
    if (bytes.length % ENTRY_BYTES !== 0 || bytes.length > MAX_KEY_TREE_BYTES) return undefined;
    const tree = new KeyTree(bytes);
    const entries = tree.#entries();
    return written(entries).equals(bytes) &&
      entries.every(({ path }, at) => !path.startsWith(entries[at - 1]?.path ?? '-'))
      ? tree
      : undefined;
  }

  toBytes(): Buffer {
    return this.#bytes;
  }

  /** The 32 bytes of the key at a place; undefined where it is destroyed. */
  keyAt(path: KeyPath): Buffer | undefined {
    const record = asPath(path.slice(0, RECORD_DIGITS));
    let above = this.#records.get(record);
    if (above === undefined) {
      const entry = this.#above(path);
      if (entry === undefined) return undefined;
      if (entry.path.length > RECORD_DIGITS)
        return Buffer.from(derive(entry.seed, path.slice(entry.path.length)), 'latin1');
      above = derive(entry.seed, record.slice(entry.path.length));
      this.#records.set(record, above);
    }
    return Buffer.from(derive(above, path.slice(RECORD_DIGITS)), 'latin1');
  }

  /** What encrypts and opens under the key at a place; undefined where it is destroyed. */
  cipherAt(path: KeyPath): CounterMode | undefined {
    const known = this.#ciphers.get(path);
    if (known !== undefined) return known;
    const key = this.keyAt(path);
    if (key === undefined) return undefined;
    const cipher = counterMode(key);
    this.#ciphers.set(path, cipher);
    return cipher;
  }

  /** Without the keys at these places and below them; the same tree where all of them are destroyed already. */
  without(places: ReadonlyArray<KeyPath>): KeyTree {
    const below = new Map<string, Array<KeyPath>>();
    const destroyed = new Set(places);
    for (const place of destroyed) {
      const above = this.#above(place)?.path;
      if (above === undefined) continue;
      const known = below.get(above);
      if (known === undefined) below.set(above, [place]);
      else known.push(place);
    }
    const entries = this.#entries().flatMap((entry) => {
      const record = asPath(entry.path.slice(0, RECORD_DIGITS));
      return prune(entry, destroyed.has(record) ? [record] : (below.get(entry.path) ?? []));
    });
    const bytes = written(entries);
    return bytes.equals(this.#bytes) ? this : new KeyTree(bytes);
  }

  /** Without what is destroyed in this tree or in another one of the same root. */
  and(other: KeyTree): KeyTree {
    // reason: what an entry is kept at is a place
    const isIn = ({ path }: Entry, tree: KeyTree): boolean => tree.#above(path as KeyPath) !== undefined;
    const own = this.#entries().filter((entry) => isIn(entry, other));
    const paths = new Set(own.map(({ path }) => path));
    const others = other.#entries().filter((entry) => !paths.has(entry.path) && isIn(entry, this));
    const bytes = written([...own, ...others]);
    return bytes.equals(this.#bytes) ? this : new KeyTree(bytes);
  }

  #entry(index: number): Entry {
    const start = index * ENTRY_BYTES;
    const digits = this.#bytes[start + PATH_BYTES] ?? 0;
    return {
      path: this.#bytes.toString('hex', start, start + PATH_BYTES).slice(0, digits),
      seed: this.#bytes.toString('latin1', start + PATH_BYTES + 1, start + ENTRY_BYTES),
    };
  }

  #entries(): ReadonlyArray<Entry> {
    return Array.from({ length: this.#bytes.length / ENTRY_BYTES }, (_, index) => this.#entry(index));
  }

  /** The kept seed at a place or above it: as none is above another, it is the last one that is not behind the place. */
  #above(path: KeyPath): Entry | undefined {
    const wanted = pathBytes(path);
    let [from, to] = [0, this.#bytes.length / ENTRY_BYTES];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const start = middle * ENTRY_BYTES;
      if (this.#bytes.compare(wanted, 0, PATH_BYTES, start, start + PATH_BYTES) <= 0) from = middle + 1;
      else to = middle;
    }
    const entry = from === 0 ? undefined : this.#entry(from - 1);
    return entry !== undefined && path.startsWith(entry.path) ? entry : undefined;
  }
}
