import { createHash } from 'node:crypto';

/** Words of 32 bits that stand for a key: 127 bits of its SHA-256, and one that is always set. */
const WORDS = 4;

const FIRST_CAPACITY = 1024;

/** Of its slots, so many are taken at most. */
const LOAD = 0.75;

/**
 * A set of keys that takes at most 64 bytes for each, whatever their lengths: it remembers a part of their SHA-256, so
 * that two keys are taken for one by no chance worth a thought. Keys cannot be taken out.
 */
export class KeySet {
  #capacity = FIRST_CAPACITY;
  /** A table with open addressing; a slot that is free has zeros. */
  #slots = new Uint32Array(FIRST_CAPACITY * WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string): void {
    if (this.#size >= this.#capacity * LOAD) this.#grow();
    if (this.#put(this.#wordsOf(key))) this.#size += 1;
  }

  has(key: string): boolean {
    const words = this.#wordsOf(key);
    return this.#isSame(this.#find(words), words);
  }

  #wordsOf(key: string): Uint32Array {
    const digest = createHash('sha256').update(key).digest();
    const words = Uint32Array.from({ length: WORDS }, (_, index) => digest.readUInt32LE(4 * index));
    words[0] = (words[0] ?? 0) | 1;
    return words;
  }

  /** Where these words are, or would be put. */
  #find(words: Uint32Array): number {
    let slot = (words[1] ?? 0) % this.#capacity;
    while (this.#slots[slot * WORDS] !== 0 && !this.#isSame(slot, words)) slot = (slot + 1) % this.#capacity;
    return slot;
  }

  #isSame(slot: number, words: Uint32Array): boolean {
    return words.every((word, index) => this.#slots[slot * WORDS + index] === word);
  }

  /** False when they were there already. */
  #put(words: Uint32Array): boolean {
    const slot = this.#find(words);
    if (this.#slots[slot * WORDS] !== 0) return false;
    this.#slots.set(words, slot * WORDS);
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#capacity *= 2;
    this.#slots = new Uint32Array(this.#capacity * WORDS);
    for (let at = 0; at < before.length; at += WORDS) if (before[at] !== 0) this.#put(before.subarray(at, at + WORDS));
  }
}
