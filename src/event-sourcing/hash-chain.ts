import { either as E } from 'fp-ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject, objectIn } from './canonical-json.js';
import { eventHash, GENESIS_HASH, saltedHash } from './envelope.js';
import type { Revision, StoredEvent } from './recorded-event.js';

/** The end of the chain of one stream: the next event must carry `revision` and link to `hash`. */
export type ChainEnd = { readonly revision: Revision; readonly hash: string };

export const chainStart: ChainEnd = { revision: 0n, hash: GENESIS_HASH };

export type BrokenLink = { readonly _tag: 'BrokenLink'; readonly event: StoredEvent; readonly reason: string };

const textIn = (metadata: string, name: 'hash' | 'previousHash'): string | undefined => {
  const text = objectIn(metadata)?.[name];
  return typeof text === 'string' ? text : undefined;
};

/** The hash that an event says it has; undefined where it says none. Nothing is verified. */
export const hashIn = ({ metadata }: Pick<StoredEvent, 'metadata'>): string | undefined => textIn(metadata, 'hash');

/** Where in its chain an event says it is. Extended by the event, it verifies that event alone. */
export const statedEnd = ({ metadata, revision }: Pick<StoredEvent, 'metadata' | 'revision'>): ChainEnd => ({
  revision,
  hash: textIn(metadata, 'previousHash') ?? '',
});

/**
 * The value of a text in canonical JSON, which every event is written in. Left: what else the text is. In another spelling a
 * member may stand twice, of which readers take one or the other; or it holds what canonical JSON cannot: 1e999 is no
 * number there.
 */
const parseCanonical = (text: string): E.Either<string, Json> => {
  try {
    const json = JSON.parse(text) as Json; // reason: JSON.parse gives nothing but Json
    return canonicalJson(json) === text ? E.right(json) : E.left('spelled in another way than it was sealed');
  } catch {
    return E.left('not JSON');
  }
};

/**
 * Whether data and salt of an event were taken out, which its chain does not show. Of an envelope as it is stored: in
 * canonical JSON, nothing but a member is spelled like that.
 */
export const lacksData = ({ metadata }: Pick<StoredEvent, 'metadata'>): boolean =>
  !metadata.includes('"salt":"') && metadata.includes('"dataHash":"');

/** Whether nothing is left of what an event said: its data were destroyed, or withheld. The event was there all the same. */
export const isErased = (event: Pick<StoredEvent, 'data' | 'metadata'>): boolean =>
  event.data === '{}' && lacksData(event);

const WITHHELD = /^(?:\{\}|null|\{"\$encrypted":"[\w-]+"\})$/;

// only the one spelling of these bytes: another would let a changed salt pass
const isSalt = (salt: Json): salt is string =>
  typeof salt === 'string' && Buffer.from(salt, 'base64url').toString('base64url') === salt;

const dataFault = ({ data: text }: StoredEvent, { salt, dataHash }: JsonObject): string | undefined => {
  const data = parseCanonical(text);
  if (E.isLeft(data)) return `data is ${data.left}`;
  if (salt === undefined) return WITHHELD.test(text) ? undefined : 'data without its salt cannot be verified';
  return isSalt(salt) && saltedHash(salt, text) === dataHash ? undefined : 'dataHash does not match data';
};

/** The hash of an event that continues a chain; left: why it does not. */
const verifiedHash = (event: StoredEvent, end: ChainEnd): E.Either<string, string> => {
  const metadata = parseCanonical(event.metadata);
  if (E.isLeft(metadata)) return E.left(`metadata is ${metadata.left}`);
  const envelope = metadata.right;
  if (!isJsonObject(envelope)) return E.left('metadata is no JSON object');
  if (event.revision !== end.revision) return E.left(`revision ${event.revision}, expected ${end.revision}`);
  if (envelope['previousHash'] !== end.hash) return E.left('previousHash is not the hash of the event before it');
  const hash = eventHash(event, envelope);
  if (hash !== envelope['hash']) return E.left('hash does not match the event');
  const fault = dataFault(event, envelope);
  return fault === undefined ? E.right(hash) : E.left(fault);
};

/**
 * Checks that an event continues a chain, and gives the new end of the chain. When its data was withheld together with
 * its salt (`{}` or `null` stands in its place), or is encrypted at rest, everything but the data is checked.
 */
export const extendChain = (end: ChainEnd, event: StoredEvent): E.Either<BrokenLink, ChainEnd> => {
  const hash = verifiedHash(event, end);
  if (E.isLeft(hash)) return E.left({ _tag: 'BrokenLink', event, reason: hash.left });
  return E.right({ revision: end.revision + 1n, hash: hash.right });
};
