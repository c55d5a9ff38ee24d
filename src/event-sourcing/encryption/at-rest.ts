import { createCipheriv } from 'node:crypto';
import { bytesAsString, type ByteString, isAsciiText } from '../byte-string.js';
import type { Random } from '../random.js';
import type { NewEvent } from '../recorded-event.js';

/** An event, or the bytes of one: all that is encrypted and opened of it. */
type Texts = Pick<NewEvent, 'data' | 'metadata'>;

const IV_BYTES = 12;
const SALT_BYTES = 16;
const BLOCK_BYTES = 16;
/** Where `seal` writes the salt: canonical JSON spells nothing but a member of the envelope like that. */
const SALT = /,"salt":"([\w-]{22})"(?=,"schemaVersion":)/;
const AFTER_SALT = ',"schemaVersion":';
const ENCRYPTED = /^\{"\$encrypted":"([\w-]+)"\}$/;

/** What an erased event has in place of its data. Its metadata have no salt. */
export const ERASED_DATA = '{}';

/** Whether the data of an event are encrypted; then its salt is, too. */
export const isEncrypted = ({ data, metadata }: Texts): boolean =>
  data.startsWith('{"$encrypted":"') && !metadata.includes('"salt":"');

/**
 * The texts as the log keeps them: salt and data under a key of 32 bytes, by AES-256-CTR with a random nonce. Nothing that is
 * hashed changes, and what an event says is proved by its hashes, so there is no tag. Undefined where the envelope has no salt
 * where `seal` writes it.
 */
export const encrypted = ({ data, metadata }: Texts, key: Buffer, random: Random): Texts | undefined => {
  const salt = SALT.exec(metadata)?.[1];
  if (salt === undefined) return undefined;
  const iv = random.bytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.concat([iv, Buffer.alloc(BLOCK_BYTES - IV_BYTES)]));
  const secret = Buffer.concat([iv, cipher.update(salt, 'base64url'), cipher.update(data, 'utf8')]);
  return { data: `{"$encrypted":"${secret.toString('base64url')}"}`, metadata: metadata.replace(SALT, '') };
};

type Sealed = { readonly bytes: Buffer; readonly start: number; readonly blocks: number };

/** The key stream of several texts under one key in one call: CTR is the encryption of its counters, block by block. */
const keyStream = (key: Buffer, sealed: ReadonlyArray<Sealed>, blocks: number): Buffer => {
  const counters = Buffer.alloc(blocks * BLOCK_BYTES);
  for (const { bytes, start, blocks: own } of sealed)
    for (let block = 0; block < own; block += 1) {
      const at = (start + block) * BLOCK_BYTES;
      bytes.copy(counters, at, 0, IV_BYTES);
      counters.writeUInt32BE(block, at + IV_BYTES);
    }
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(counters);
};

/** Salt and data, as bytes; undefined where it cannot be what `encrypted` made. */
export type Secret = { readonly salt: string; readonly data: ByteString; readonly isAscii: boolean };

/** What these data hide, of each in its place, all of them under one key. */
export const opened = (key: Buffer, data: ReadonlyArray<string>): ReadonlyArray<Secret | undefined> => {
  const sealed: Array<Sealed> = [];
  let blocks = 0;
  for (const text of data) {
    const bytes = Buffer.from(ENCRYPTED.exec(text)?.[1] ?? '', 'base64url');
    const own = Math.ceil(Math.max(0, bytes.length - IV_BYTES) / BLOCK_BYTES);
    sealed.push({ bytes, start: blocks, blocks: own });
    blocks += own;
  }
  const stream = keyStream(key, sealed, blocks);
  return sealed.map(({ bytes, start }) => {
    const size = bytes.length - IV_BYTES;
    if (size < SALT_BYTES) return undefined;
    const at = start * BLOCK_BYTES;
    for (let index = 0; index < size; index += 1)
      stream[at + index] = (stream[at + index] ?? 0) ^ (bytes[IV_BYTES + index] ?? 0);
    const text = bytesAsString(stream.subarray(at + SALT_BYTES, at + size));
    return { salt: stream.toString('base64url', at, at + SALT_BYTES), data: text, isAscii: isAsciiText(text) };
  });
};

/** The metadata with the salt where `seal` wrote it. */
export const withSalt = (metadata: string, salt: string): string =>
  metadata.replace(AFTER_SALT, `,"salt":"${salt}"${AFTER_SALT}`);
