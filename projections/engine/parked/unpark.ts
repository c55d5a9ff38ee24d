import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { type Checkpoint, entityIdOf } from '../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { OnEngineEvent } from '../engine-event.js';
import { foldStream } from '../rows/fold-stream.js';
import type { EntityWriter, ReadModelStorage } from '../storage.js';

/** Parked entities that are tried at one start, so that it does not take longer the more are parked. */
const TRIED_AT_ONCE = 1_000;

/**
 * Tries parked entities again, because this program may be a newer one: those that can be projected now get the row
 * that their stream makes up to the checkpoint. Call it before anything moves the checkpoint.
 */
export const unpark = async (
  storage: Pick<ReadModelStorage, 'entityRows' | 'rewrite'>,
  writer: EntityWriter,
  store: EventStore,
  checkpoint: Checkpoint,
  onEvent: OnEngineEvent,
): Promise<void> => {
  const { projection } = writer;
  const parked = await storage.entityRows(writer).parkedStreams(TRIED_AT_ONCE);
  for (const stream of parked.filter((each) => isUuid(entityIdOf(each)))) {
    const folded = await foldStream(projection, store, stream, checkpoint.commit);
    if (folded === undefined || folded.parking !== undefined) continue;
    const { entity } = folded;
    if ((await storage.rewrite(writer, checkpoint, { stream, entity, parking: undefined })) === 'Written')
      onEvent({ _tag: 'Unparked', projection: projection.name, stream });
  }
};
