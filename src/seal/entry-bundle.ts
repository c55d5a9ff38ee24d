import { either as E } from 'fp-ts';
import { HASH_BYTES } from './hash.js';

/** The data of a leaf: the 32 bytes of an event's `hash`, which is 64 digits of lower-case hex. */
export const leafData = (eventHash: string): E.Either<string, Buffer> =>
  /^[0-9a-f]{64}$/.test(eventHash)
    ? E.right(Buffer.from(eventHash, 'hex'))
    : E.left('the hash of the event is not 64 digits of lower-case hex');

const ENTRY_BYTES = 2 + HASH_BYTES;
const LENGTH = Buffer.of(0, HASH_BYTES);

/** An entry bundle (https://c2sp.org/tlog-tiles): the data of leaves, each after its length, a big-endian uint16. */
export const renderEntryBundle = (entries: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(entries.flatMap((entry) => [LENGTH, entry]));

/** The data of the leaves of an entry bundle of this service, in which each has 32 bytes. */
export const parseEntryBundle = (bytes: Buffer): E.Either<string, ReadonlyArray<Buffer>> => {
  if (bytes.length % ENTRY_BYTES !== 0) return E.left('the entry bundle ends within an entry');
  const entries = Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) =>
    bytes.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES),
  );
  return entries.every((entry) => entry.readUInt16BE() === HASH_BYTES)
    ? E.right(entries.map((entry) => entry.subarray(2)))
    : E.left('the entry bundle has an entry that is not 32 bytes long');
};
