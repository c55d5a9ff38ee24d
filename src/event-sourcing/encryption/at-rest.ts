import { bytesAsString, type ByteString } from '../byte-string.js';
import { isErased } from '../hash-chain.js';
import type { Random } from '../random.js';
import type { NewEvent } from '../recorded-event.js';
import {
  BLOCK_BYTES,
  blocksOf,
  bytesFor,
  type CounterMode,
  NONCE_BYTES,
  type Place,
  TOGETHER,
} from './counter-mode.js';

/** An event, or the bytes of one: all that is encrypted and opened of it. */
type Texts = Pick<NewEvent, 'data' | 'metadata'>;

const SALT_BYTES = 16;
/** In base64url. */
const SALT_CHARACTERS = 22;
/** Where `seal` writes the salt: canonical JSON spells nothing but a member of the envelope like that. */
const [BEFORE_SALT, AFTER_SALT] = [',"salt":"', ',"schemaVersion":'];
/** Of the whole member, with its quotes. */
export const SALT_MEMBER_BYTES = BEFORE_SALT.length + SALT_CHARACTERS + 1;
/** What stands around the nonce and the ciphertext in base64url. */
const [BEFORE, AFTER] = ['{"$encrypted":"', '"}'];

/** What an erased event has in place of its data. Its metadata have no salt. */
export const ERASED_DATA = '{}';

/** Where the member of the salt begins, or below 0. Searched for from the end, near which it is. */
const saltAt = (metadata: string): number => {
  const at = metadata.lastIndexOf(AFTER_SALT) - SALT_MEMBER_BYTES;
  return at >= 0 && metadata.startsWith(BEFORE_SALT, at) ? at : -1;
};

const withoutSalt = (metadata: string, at: number): string =>
  metadata.slice(0, at) + metadata.slice(at + SALT_MEMBER_BYTES);

/** An event as it is read when its key is destroyed: without data, and without the salt, if `seal` wrote one. */
export const asErased = <Event extends Texts>(event: Event): Event => {
  const at = saltAt(event.metadata);
  return { ...event, data: ERASED_DATA, metadata: at < 0 ? event.metadata : withoutSalt(event.metadata, at) };
};

/** Whether the data of an event are encrypted; then its salt is, too. */
export const isEncrypted = ({ data, metadata }: Texts): boolean => data.startsWith(BEFORE) && saltAt(metadata) < 0;

/** Whether the log has the data of an event in clear. One that was imported after it was erased has none there. */
export const isInClear = (event: Texts): boolean => !isEncrypted(event) && !isErased(event);

/**
 * The texts as the log keeps them: salt and data under a key of 32 bytes, by AES-256-CTR with a random nonce. Nothing that is
 * hashed changes, and what an event says is proved by its hashes, so there is no tag. Undefined where the envelope has no salt
 * where `seal` writes it.
 */
export const encrypted = ({ data, metadata }: Texts, cipher: CounterMode, random: Random): Texts | undefined => {
  const at = saltAt(metadata);
  if (at < 0) return undefined;
  const salt = metadata.slice(at + BEFORE_SALT.length, at + BEFORE_SALT.length + SALT_CHARACTERS);
  const [start, size] = [BLOCK_BYTES, SALT_BYTES + Buffer.byteLength(data)];
  const bytes = bytesFor(start + blocksOf(size));
  random.bytes(NONCE_BYTES).copy(bytes, start - NONCE_BYTES);
  if (bytes.write(salt, start, SALT_BYTES, 'base64url') !== SALT_BYTES) return undefined;
  bytes.write(data, start + SALT_BYTES);
  cipher(bytes, [{ start, size }]);
  return {
    data: BEFORE + bytes.toString('base64url', start - NONCE_BYTES, start + size) + AFTER,
    metadata: withoutSalt(metadata, at),
  };
};

/** Where the ciphertexts of these texts are to be, and where the last one ends. */
const placesOf = (data: ReadonlyArray<string>): { readonly places: ReadonlyArray<Place>; readonly end: number } => {
  let end = 0;
  const places = data.map(({ length }) => {
    const bytes = Math.floor(((length - BEFORE.length - AFTER.length) * 3) / 4);
    const place = { start: end + BLOCK_BYTES, size: Math.max(0, bytes - NONCE_BYTES) };
    end = place.start + blocksOf(place.size);
    return place;
  });
  return { places, end };
};

/** Writes the nonce and the ciphertext of a text. What is not base64url to its end is shorter, and has no bytes. */
const written = (bytes: Buffer, text: string, place: Place): Place => {
  const { start, size } = place;
  const hidden = text.slice(BEFORE.length, -AFTER.length);
  const length = bytes.write(hidden, start - NONCE_BYTES, NONCE_BYTES + size, 'base64url');
  return length === NONCE_BYTES + size && text.endsWith(AFTER) ? place : { start, size: 0 };
};

/** The bytes of the salt, and behind them those of the data. */
export type Secret = ByteString & { readonly _brand: 'Secret' };

export const dataOf = (secret: Secret): ByteString => secret.slice(SALT_BYTES) as ByteString; // reason: it is a part of one

const openTogether = (cipher: CounterMode, data: ReadonlyArray<string>): ReadonlyArray<Secret | undefined> => {
  const { places, end } = placesOf(data);
  const bytes = bytesFor(end);
  const all = places.map((place, index) => written(bytes, data[index] ?? '', place));
  cipher(bytes, all);
  return all.map(({ start, size }) =>
    // reason: these are its bytes
    size < SALT_BYTES ? undefined : (bytesAsString(bytes, start, start + size) as Secret),
  );
};

/** What these data hide, of each in its place, all of them under one key; undefined where it cannot be what `encrypted` made. */
export const opened = (cipher: CounterMode, data: ReadonlyArray<string>): ReadonlyArray<Secret | undefined> => {
  const secrets: Array<Secret | undefined> = [];
  let [from, together] = [0, 0];
  for (const [index, { length }] of data.entries()) {
    // in base64url they are longer than their blocks
    if (together + length > TOGETHER && index > from) {
      secrets.push(...openTogether(cipher, data.slice(from, index)));
      [from, together] = [index, 0];
    }
    together += length;
  }
  return [...secrets, ...openTogether(cipher, data.slice(from))];
};

/** The metadata with the salt where `seal` wrote it. */
export const withSalt = (metadata: string, secret: Secret): string => {
  const salt = Buffer.from(secret.slice(0, SALT_BYTES), 'latin1').toString('base64url');
  return metadata.replace(AFTER_SALT, `${BEFORE_SALT}${salt}"${AFTER_SALT}`);
};
