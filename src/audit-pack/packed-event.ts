import { canonicalJson, canonicalString, type Json, type JsonObject } from '../event-sourcing/canonical-json.js';
import type { StoredEvent, StreamName } from '../event-sourcing/recorded-event.js';
import { CannotPack } from './cannot-pack.js';

/** An event and its place in the tree over all events. */
export type IndexedEvent = { readonly index: number; readonly event: StoredEvent };

/** An event as a pack holds it. Everything else in the pack that is about the event is computed from this. */
export type PackedEvent = {
  readonly index: number;
  readonly stream: StreamName;
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  /** Absent where the pack was made without data. */
  readonly data?: Json;
  readonly metadata: JsonObject;
};

/** The event, the chain of which has been verified; without its data also without the salt, with which it could be guessed. */
export const packedEvent = ({ index, event }: IndexedEvent, withData: boolean): PackedEvent => {
  const { stream, id, type } = event;
  const revision = event.revision.toString();
  // reason: metadata is a JSON object, and data is JSON, in every event of an intact chain
  const metadata = JSON.parse(event.metadata) as JsonObject;
  if (withData) return { index, stream, revision, id, type, data: JSON.parse(event.data) as Json, metadata };
  const { salt: _salt, ...withoutSalt } = metadata;
  return { index, stream, revision, id, type, metadata: withoutSalt };
};

/** Its line in `records/…`: one spelling for each event, `data` and `metadata` in that of RFC 8785. */
export const recordLine = ({ index, stream, revision, id, type, data, metadata }: PackedEvent): string => {
  const place = `"index":"${index}","stream":${canonicalString(stream)},"revision":"${revision}"`;
  const opening = `{${place},"id":${canonicalString(id)},"type":${canonicalString(type)}`;
  const dataMember = data === undefined ? '' : `,"data":${canonicalJson(data)}`;
  return `${opening}${dataMember},"metadata":${canonicalJson(metadata)}}\n`;
};

/** A file that an event names. */
export type NamedFile = { readonly key: string; readonly size: number; readonly sha256: string };

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** The file that the data of an event names: its member `file`, where that is an object. */
export const fileOf = ({ data, stream, revision }: PackedEvent): NamedFile | undefined => {
  if (!isObject(data) || !isObject(data['file'])) return undefined;
  const { key, size, sha256 } = data['file'];
  if (typeof key !== 'string' || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || !isSize(size))
    throw new CannotPack(`${stream}, revision ${revision}, names a file without key, size and SHA-256`);
  return { key, size, sha256 };
};

const isSize = (size: Json | undefined): size is number => Number.isSafeInteger(size) && Number(size) >= 0;
