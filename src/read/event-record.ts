import { type ByteString, byteStringOf, textOf } from '../event-sourcing/byte-string.js';
import { canonicalString, objectIn } from '../event-sourcing/canonical-json.js';
import { partReason } from '../event-sourcing/reason.js';
import { entityIdOf, type Revision, type StoredEvent } from '../event-sourcing/recorded-event.js';
import type { DomainEvent, Serde } from '../event-sourcing/serde.js';
import type { EventBytes } from '../event-sourcing/stream-page.js';
import {
  commonMembers,
  type EventDescription,
  eventJson,
  makeShowEvent,
  RENDERING,
  UndecodableEventError,
} from './event-view.js';

/** An event by itself: as the history of its entity shows it, and what one searches for. */
export type EventRecord = {
  /** Id of the entity; with the category it is the name of the stream. */
  readonly entity: string;
  readonly revision: Revision;
  /** The stored type of the event. */
  readonly name: string;
  /** Null where the envelope does not tell, because it is not one of ours. */
  readonly actor: string | null;
  /** ISO 8601, UTC. Null as above. */
  readonly at: string | null;
  /** The fields that it gave a value or changed, as the history names them. */
  readonly fields: ReadonlyArray<string>;
  /** The ids of the entities that it refers to. */
  readonly refs: ReadonlyArray<string>;
  /** Why it was done, as its caller said; null where nothing was said. */
  readonly reason: string | null;
  /** `hash` of the event, lower-case hex; null as above. */
  readonly hash: string | null;
  /** The JSON object that the history of the entity shows. */
  readonly body: string;
};

type Records = {
  /** Another text when the same event may make another record. */
  readonly version: string;
  readonly recordOf: (event: StoredEvent) => EventRecord;
};

/** Raised with every change to what a record holds beside its body. */
const RECORDS = 2;

const bytesOf = (event: StoredEvent): EventBytes => {
  const [data, metadata] = [byteStringOf(event.data), byteStringOf(event.metadata)];
  const isAscii = data === event.data && metadata === event.metadata;
  const { id, stream, revision, type, position } = event;
  const sizes = { dataSize: data.length, metadataSize: metadata.length };
  return { id, stream, revision, type, position, data, metadata, ...sizes, isAscii };
};

const textIn = (json: string): string => {
  const text = textOf(json as ByteString); // reason: it is a text of JSON, as a byte string
  // reason: as above; without an escape, what stands between the quotes is the text
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
};

/** The data and, where there is one, the reason that is stored with it; null where it is no JSON object. */
const storedDataIn = (text: string): { readonly data: unknown; readonly reason?: unknown } => {
  const stored = objectIn(text);
  if (stored === undefined) return { data: null };
  const { data, reason } = partReason(stored);
  return reason === undefined ? { data } : { data, reason };
};

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What can be said of an event that this program cannot decode: its envelope may be one of ours all the same. */
const undecodable = ({ id, stream, revision, type, data, metadata }: StoredEvent, entityType: string): EventRecord => {
  const entity = entityIdOf(stream);
  const envelope = objectIn(metadata) ?? {};
  const known = {
    actor: textOrNull(envelope['actor']),
    at: textOrNull(envelope['at']),
    hash: textOrNull(envelope['hash']),
  };
  const storedData = storedDataIn(data);
  const body = {
    _id: id,
    type: 'unknown',
    message: 'this program cannot read the event',
    user: known.actor,
    entity,
    entityType,
    refs: [],
    name: type,
    at: known.at,
    revision: Number(revision),
    hash: known.hash,
    ...storedData,
  };
  const reason = textOrNull(storedData.reason);
  return { entity, revision, name: type, fields: [], refs: [], reason, body: JSON.stringify(body), ...known };
};

/** Makes records of the events of one kind of entity. */
export const makeRecords = <Event extends DomainEvent>(
  serde: Serde<Event>,
  description: EventDescription<Event>,
  eventTypes: ReadonlyArray<Event['type']>,
): Records => {
  const { entityType } = description;
  const show = makeShowEvent(serde, description);
  const schemas = eventTypes.map((type) => `${canonicalString(type)}:${serde.schemaVersionOf(type)}`);

  const recordOf = (event: StoredEvent): EventRecord => {
    const bytes = bytesOf(event);
    const shown = show(bytes);
    const entity = entityIdOf(event.stream);
    const { fields, refs } = shown.description;
    return {
      entity,
      revision: event.revision,
      name: event.type,
      actor: textIn(shown.actor),
      at: textIn(shown.at),
      fields,
      refs: refs.map((ref) => ref.entity),
      reason: shown.reason === undefined ? null : textIn(shown.reason),
      hash: textIn(shown.hash),
      // reason: a byte string, as all its parts are
      body: textOf(eventJson(bytes, shown, commonMembers(entity, entityType)) as ByteString),
    };
  };

  return {
    version: `${RECORDS}.${RENDERING} ${schemas.join(',')}`,
    recordOf: (event) => {
      try {
        return recordOf(event);
      } catch (error) {
        if (error instanceof UndecodableEventError) return undecodable(event, entityType);
        throw error;
      }
    },
  };
};
