import { createHash, hash as digest } from 'node:crypto';
import * as t from 'io-ts';
import { canonicalJson, canonicalString, type Json, type JsonObject } from './canonical-json.js';
import type { EventKey } from './event-key.js';
import type { Random } from './random.js';
import type { NewEvent, StoredEvent } from './recorded-event.js';

/** `previousHash` of the first event of a stream. */
export const GENESIS_HASH = '0'.repeat(64);

const MetadataCodec = t.intersection([
  t.type({
    schemaVersion: t.number,
    at: t.string,
    actor: t.string,
    $correlationId: t.string,
    $causationId: t.string,
    fingerprint: t.string,
    dataHash: t.string,
    previousHash: t.string,
    hash: t.string,
  }),
  t.partial({ traceparent: t.string, salt: t.string, mac: t.string }),
]);

/**
 * The envelope's metadata; `salt` is absent only where data has been withheld or erased together with it, `mac` where
 * whoever sealed the event had no key.
 */
export type Metadata = Readonly<t.TypeOf<typeof MetadataCodec>>;
export const Metadata: t.Type<Metadata> = MetadataCodec;

/** Where the bytes of a salted text come together: to digest them at once takes half the time of a Hash object. */
const together = Buffer.allocUnsafeSlow(16 * 1024);
/** Most bytes of a UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT = 3;

/** Salted, so that nobody can guess a value back from its digest. `salt` is base64url. */
export const saltedHash = (salt: string, text: string): string => {
  if (salt.length + BYTES_PER_UNIT * text.length > together.length)
    return createHash('sha256').update(salt, 'base64url').update(text, 'utf8').digest('hex');
  const start = together.write(salt, 'base64url');
  return digest('sha256', together.subarray(0, start + together.write(text, start, 'utf8')), 'hex');
};

type Sealable = Pick<StoredEvent, 'id' | 'stream' | 'revision' | 'type'>;

const canonicalEnvelope = ({ id, stream, revision, type }: Sealable, metadata: JsonObject): string =>
  canonicalJson({ id, stream, revision: revision.toString(), type, metadata });

/** Hash of one event over everything but its data (which enters by `dataHash`), its salt and its position. */
export const eventHash = (event: Sealable, metadata: JsonObject): string => {
  const { salt: _salt, hash: _hash, ...hashed } = metadata;
  return digest('sha256', canonicalEnvelope(event, hashed), 'hex');
};

/** What the `mac` of an event is computed of: the text that is hashed, without the `mac` in it. */
export const macText = (event: Sealable, metadata: JsonObject): string => {
  const { salt: _salt, hash: _hash, mac: _mac, ...authenticated } = metadata;
  return canonicalEnvelope(event, authenticated);
};

type Fact = Sealable & {
  readonly data: Json;
  readonly schemaVersion: number;
  readonly at: string;
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly traceparent?: string | undefined;
  /** Canonical text of the request that led here; stored only as a salted hash. */
  readonly request: string;
  readonly previousHash: string;
};

export type SealedEvent = NewEvent & { readonly hash: string };

/** 16 random bytes, base64url. */
export const newSalt = (random: Random): string => random.bytes(16).toString('base64url');

/**
 * Puts a fact into its envelope and links it to the event before it; with a key, whoever has the key can tell that it was
 * sealed here (`event-key.ts`). The envelope's text is canonical (RFC 8785), and so are the text that is hashed and the one
 * that `mac` is computed of: all consist of the same parts, whose keys are known and written here in their order.
 */
export const seal = (fact: Fact, salt: string, key?: EventKey): SealedEvent => {
  const { id, stream, revision, type, schemaVersion, traceparent, previousHash } = fact;
  const data = canonicalJson(fact.data);
  const request =
    `{"$causationId":${canonicalString(fact.causationId)},"$correlationId":${canonicalString(fact.correlationId)},` +
    `"actor":${canonicalString(fact.actor)},"at":${canonicalString(fact.at)},` +
    `"dataHash":"${saltedHash(salt, data)}","fingerprint":"${saltedHash(salt, fact.request)}",`;
  const previous = `"previousHash":"${previousHash}",`;
  const trace = traceparent === undefined ? '' : `,"traceparent":${canonicalString(traceparent)}`;
  const version = `"schemaVersion":${schemaVersion}${trace}}`;
  const before = `{"id":"${id}","metadata":${request}`;
  const place = `"revision":"${revision}","stream":${canonicalString(stream)},"type":${canonicalString(type)}}`;
  const after = `${previous}${version},${place}`;
  const mac = key === undefined ? '' : `"mac":"${key.macOf(before, after)}",`;
  const hash = digest('sha256', before + mac + after, 'hex');
  const metadata = `${request}"hash":"${hash}",${mac}${previous}"salt":"${salt}",${version}`;
  return { id, type, data, metadata, hash };
};
