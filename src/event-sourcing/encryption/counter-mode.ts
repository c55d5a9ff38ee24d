import { type Cipher, createCipheriv } from 'node:crypto';

export const NONCE_BYTES = 12;
export const BLOCK_BYTES = 16;
const [BLOCK_WORDS, NONCE_WORDS] = [BLOCK_BYTES / 4, NONCE_BYTES / 4];

/** Where a text begins among others, which is where a block does, and how many bytes it has. Its nonce is right before it. */
export type Place = { readonly start: number; readonly size: number };

/** How many bytes the blocks have that so many bytes need. */
export const blocksOf = (size: number): number => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;

/** For so many bytes at once there is memory: to ask the system for more takes longer than AES. */
export const TOGETHER = 16 * 1024;
const texts = Buffer.alloc(TOGETHER);
const counters = Buffer.alloc(TOGETHER);

const bytesOf = (memory: Buffer, size: number): Buffer =>
  size > TOGETHER ? Buffer.alloc(size) : memory.subarray(0, size);

/** Bytes to put texts into, with whatever was in them before; they are used again by the next call. */
export const bytesFor = (size: number): Buffer => bytesOf(texts, size);

/** In the order of this machine: words are only copied and combined here. Node's buffers begin where one can. */
const wordsOf = ({ buffer, byteOffset, length }: Buffer): Uint32Array =>
  new Uint32Array(buffer, byteOffset, Math.floor(length / 4));

/** Encrypts what is at these places, or opens it. */
export type CounterMode = (bytes: Buffer, places: ReadonlyArray<Place>) => void;

/** How many blocks came before, as the last word of a counter. */
const counts = (blocks: number): Uint32Array => {
  const bytes = Buffer.alloc(blocks * 4);
  for (let block = 0; block < blocks; block += 1) bytes.writeUInt32BE(block, block * 4);
  return wordsOf(bytes);
};

const COUNTS = counts(TOGETHER / BLOCK_BYTES);

/** The counter of each block of each text: its nonce, and how many blocks of it came before. */
const writeCounters = (to: Uint32Array, words: Uint32Array, places: ReadonlyArray<Place>): void => {
  const known = to.length * 4 > TOGETHER ? counts(to.length / BLOCK_WORDS) : COUNTS;
  for (const { start, size } of places) {
    const nonce = start / 4 - NONCE_WORDS;
    const [first = 0, second = 0, third = 0] = [words[nonce], words[nonce + 1], words[nonce + 2]];
    let at = start / 4;
    for (let block = 0; block * BLOCK_BYTES < size; block += 1) {
      to[at] = first;
      to[at + 1] = second;
      to[at + 2] = third;
      to[at + 3] = known[block] ?? 0;
      at += BLOCK_WORDS;
    }
  }
};

/**
 * AES-256-CTR under a key of 32 bytes, of several texts in one call, the counter of each beginning with 0: a cipher object
 * for each of them takes three times as long. CTR is the exclusive or with the encryption of the counters (NIST SP 800-38A,
 * 6.5).
 */
export const counterMode = (key: Buffer): CounterMode => {
  const cipher: Cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return (bytes, places) => {
    const words = wordsOf(bytes);
    const own = bytesOf(counters, bytes.length);
    writeCounters(wordsOf(own), words, places);
    const stream = wordsOf(cipher.update(own));
    for (const { start, size } of places)
      for (let at = start / 4; at < (start + size) / 4; at += 1) words[at] = (words[at] ?? 0) ^ (stream[at] ?? 0);
  };
};
