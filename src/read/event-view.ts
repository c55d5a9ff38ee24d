import { entityIdOf, type StoredEvent } from '../event-sourcing/recorded-event.js';
import type { Recorded } from '../event-sourcing/serde.js';
import type { Description } from './ref.js';

/** How the events of one kind of entity are described: `entityType`, and the message of each event. */
export type EventDescription<Event> = {
  readonly entityType: string;
  readonly describe: (event: Event) => Description;
};

/** What a reader needs besides to recompute the hash: the stream's name and the metadata as stored. */
const proofOf = (stored: StoredEvent): string =>
  `,"stream":${JSON.stringify(stored.stream)},"metadata":${stored.metadata}`;

/**
 * The JSON text of one event. `data` (and with `proof` also `metadata`) is the stored text itself, neither parsed nor
 * rendered again.
 */
export const renderEvent = <Event extends { readonly type: string }>(
  { entityType, describe }: EventDescription<Event>,
  stored: StoredEvent,
  { event, metadata }: Recorded<Event>,
  proof: boolean,
): string => {
  const { type, message, refs } = describe(event);
  const head = JSON.stringify({
    _id: stored.id,
    type,
    message,
    user: metadata.actor,
    entity: entityIdOf(stored.stream),
    entityType,
    refs,
    name: stored.type,
    at: metadata.at,
    revision: Number(stored.revision),
    hash: metadata.hash,
  });
  return `${head.slice(0, -1)},"data":${stored.data}${proof ? proofOf(stored) : ''}}`;
};
