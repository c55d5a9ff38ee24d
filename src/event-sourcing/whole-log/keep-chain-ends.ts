import { hash as digest } from 'node:crypto';
import type { ChainEnd } from '../hash-chain.js';
import type { Random } from '../random.js';
import type { StreamName } from '../recorded-event.js';
import type { ChainEnds } from './chain-ends.js';

/** An entry: the key of a stream, the revision that its next event must have, and the hash that it must link to. */
const [KEY_BYTES, HASH_BYTES] = [16, 32];
const [REVISION_AT, HASH_AT] = [KEY_BYTES, KEY_BYTES + 8];
const ENTRY_BYTES = HASH_AT + HASH_BYTES;
const [ENTRY_WORDS, ENTRY_REVISIONS] = [ENTRY_BYTES / 4, ENTRY_BYTES / 8];

const ENTRIES_PER_CHUNK = 8_192;
const FIRST_SLOTS = 4_096;

/** Stands for the revision of a chain that is broken. No stream has so many events. */
const BROKEN = 2n ** 64n - 1n;

const SECRET_BYTES = 16;
/** Longer names than this have an allocation of their own. */
const LONGEST_TOGETHER = 1_024;

/**
 * The keys of streams: SHA-256 of a random secret and the name, cut to 16 bytes. Two of ten million streams have the same
 * one with a chance of 1 in 10^24. Nobody can choose names that have, because the secret is drawn anew for each table and
 * leaves it nowhere. UTF-16, because names that differ in half of a surrogate pair are the same in UTF-8.
 */
class StreamKey {
  readonly #together = Buffer.alloc(SECRET_BYTES + 2 * LONGEST_TOGETHER);
  readonly #digest = new Uint32Array(8);
  readonly #bytes = Buffer.from(this.#digest.buffer);
  #stream: StreamName | undefined;

  constructor(random: Random) {
    random.bytes(SECRET_BYTES).copy(this.#together);
  }

  /** Its 4 words. An event asks twice in a row: before and after it is verified. */
  of(stream: StreamName): Uint32Array {
    if (stream === this.#stream) return this.#digest;
    this.#bytes.write(digest('sha256', this.#secretAnd(stream), 'binary'), 'binary');
    this.#stream = stream;
    return this.#digest;
  }

  #secretAnd(stream: StreamName): Uint8Array {
    if (stream.length > LONGEST_TOGETHER)
      return Buffer.concat([this.#together.subarray(0, SECRET_BYTES), Buffer.from(stream, 'utf16le')]);
    return this.#together.subarray(0, SECRET_BYTES + this.#together.write(stream, SECRET_BYTES, 'utf16le'));
  }
}

/** The memory of some entries, as bytes and as numbers. */
class Chunk {
  readonly words: Uint32Array;
  readonly revisions: BigUint64Array;
  readonly bytes: Buffer;

  constructor() {
    const memory = new ArrayBuffer(ENTRIES_PER_CHUNK * ENTRY_BYTES);
    this.words = new Uint32Array(memory);
    this.revisions = new BigUint64Array(memory);
    this.bytes = Buffer.from(memory);
  }
}

/**
 * Entries in chunks that never move, and a table of their numbers with open addressing. Only the table, of 4 bytes a slot,
 * is copied when it grows.
 */
class ChainEndTable {
  readonly #key: StreamKey;
  readonly #chunks: Array<Chunk> = [];
  /** The number of an entry, from 1; 0 where there is none. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #count = 0;

  constructor(random: Random) {
    this.#key = new StreamKey(random);
  }

  get count(): number {
    return this.#count;
  }

  get(stream: StreamName): ChainEnd | 'broken' | undefined {
    const number = this.#find(this.#key.of(stream));
    if (number === undefined) return undefined;
    const { chunk, at } = this.#entry(number);
    const revision = chunk.revisions[at * ENTRY_REVISIONS + REVISION_AT / 8] ?? BROKEN;
    if (revision === BROKEN) return 'broken';
    const start = at * ENTRY_BYTES + HASH_AT;
    return { revision, hash: chunk.bytes.toString('hex', start, start + HASH_BYTES) };
  }

  set(stream: StreamName, end: ChainEnd | 'broken'): void {
    const key = this.#key.of(stream);
    const { chunk, at } = this.#entry(this.#find(key) ?? this.#add(key));
    chunk.revisions[at * ENTRY_REVISIONS + REVISION_AT / 8] = end === 'broken' ? BROKEN : end.revision;
    if (end === 'broken') return;
    const written = chunk.bytes.write(end.hash, at * ENTRY_BYTES + HASH_AT, HASH_BYTES, 'hex');
    if (written !== HASH_BYTES) throw new Error(`no SHA-256 in hex: ${end.hash}`);
  }

  #entry(number: number): { readonly chunk: Chunk; readonly at: number } {
    const place = number - 1;
    const chunk = this.#chunks[Math.floor(place / ENTRIES_PER_CHUNK)];
    if (chunk === undefined) throw new Error(`there is no entry ${number}`);
    return { chunk, at: place % ENTRIES_PER_CHUNK };
  }

  #find(key: Uint32Array): number | undefined {
    const number = this.#slots[this.#slotOf(key)] ?? 0;
    return number === 0 ? undefined : number;
  }

  /** The slot of the entry with this key, or the free one where it belongs. */
  #slotOf(key: Uint32Array): number {
    const mask = this.#slots.length - 1;
    let slot = (key[0] ?? 0) & mask;
    for (;;) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0 || this.#hasKey(number, key)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #hasKey(number: number, key: Uint32Array): boolean {
    const { chunk, at } = this.#entry(number);
    const { words } = chunk;
    const start = at * ENTRY_WORDS;
    for (let word = 0; word < KEY_BYTES / 4; word += 1) if (words[start + word] !== key[word]) return false;
    return true;
  }

  #add(key: Uint32Array): number {
    if (4 * (this.#count + 1) > 3 * this.#slots.length) this.#grow();
    if (this.#count % ENTRIES_PER_CHUNK === 0) this.#chunks.push(new Chunk());
    this.#count += 1;
    const { chunk, at } = this.#entry(this.#count);
    chunk.words.set(key.subarray(0, KEY_BYTES / 4), at * ENTRY_WORDS);
    this.#slots[this.#slotOf(key)] = this.#count;
    return this.#count;
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 1; number <= this.#count; number += 1) {
      const { chunk, at } = this.#entry(number);
      let slot = (chunk.words[at * ENTRY_WORDS] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}

/**
 * Keeps all of them, whatever the number of events: about 65 bytes a stream, 65 MB for a million, and outside of the heap,
 * of which the commands of the operator have 380 MB.
 */
export const keepChainEnds = (random: Random): ChainEnds => {
  const ends = new ChainEndTable(random);
  return {
    prepare: () => Promise.resolve(),
    get: (stream) => ends.get(stream),
    set: (stream, end) => ends.set(stream, end),
    streams: () => ends.count,
  };
};
