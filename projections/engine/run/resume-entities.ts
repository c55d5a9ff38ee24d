import type { Decisions } from '../../../src/event-sourcing/decisions.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { From } from '../../../src/event-sourcing/recorded-event.js';
import type { OnEngineEvent } from '../engine-event.js';
import { readParkedStreams } from '../parked/parked-streams.js';
import { unpark } from '../parked/unpark.js';
import type { HandOver } from '../rows/hand-over.js';
import type { EntityWriter, ReadModelStorage } from '../storage.js';

type Resuming = {
  readonly storage: ReadModelStorage;
  readonly store: EventStore;
  readonly decisions: Decisions | undefined;
  readonly onEvent: OnEngineEvent;
};

/**
 * What is done with rows of entities before the first event is applied to them: parked ones are tried again. Gives what
 * the commands of this process hand over; undefined where they run elsewhere.
 */
export const resumeEntities = async (
  writer: EntityWriter,
  { storage, store, decisions, onEvent }: Resuming,
  checkpoint: From,
): Promise<HandOver | undefined> => {
  if (checkpoint !== 'start') await unpark(storage, writer, store, checkpoint, onEvent);
  return decisions && { decisions, parked: await readParkedStreams(storage.entityRows(writer)) };
};
