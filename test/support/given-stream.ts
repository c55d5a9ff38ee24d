import { either as E, readonlyArray as RA, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import { GENESIS_HASH } from '../../src/event-sourcing/envelope.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { stored, type Recording } from './recorded.js';

type Happening = readonly [event: DomainEvent, recording?: Pick<Recording, 'at' | 'actor' | 'schemaVersion'>];

/** The events of a stream in their envelopes, each linked to the one before it. */
export const streamOf = (stream: StreamName, ...happenings: ReadonlyArray<Happening>): ReadonlyArray<StoredEvent> => {
  let previousHash = GENESIS_HASH;
  return happenings.map(([event, recording], index) => {
    const sealed = stored(event, { ...recording, stream, revision: BigInt(index), previousHash });
    // reason: written by stored()
    previousHash = (JSON.parse(sealed.metadata) as { readonly hash: string }).hash;
    return sealed;
  });
};

/** Puts a new stream into the store. */
export const givenStream = async (
  store: EventStore,
  stream: StreamName,
  ...happenings: ReadonlyArray<Happening>
): Promise<ReadonlyArray<StoredEvent>> => {
  const events = streamOf(stream, ...happenings);
  if (!RA.isNonEmpty(events)) throw new Error('a stream has at least one event');
  const outcome = await store.append(
    stream,
    'no-stream',
    RNEA.map(({ id, type, data, metadata }: StoredEvent) => ({ id, type, data, metadata }))(events),
  );
  if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
  return events;
};
