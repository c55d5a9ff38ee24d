import type * as t from 'io-ts';
import type { JsonSchema, Meanings } from '../fields/json-schema.js';

/** The codec of one event, as the codecs of all entities have them. */
export type EventCodec = { readonly props: { readonly type: { readonly value: string }; readonly data: t.Mixed } };

/** What the document says of the events of one kind of entity. */
export type EntityEvents = {
  readonly entityType: string;
  /** The union that the entity's own events are read by: its payloads are those of the document. */
  readonly codec: { readonly types: ReadonlyArray<EventCodec> };
  /** Of the members of the payloads. */
  readonly meanings: Meanings;
  /** A history as it is answered. */
  readonly example?: ReadonlyArray<JsonSchema>;
};
