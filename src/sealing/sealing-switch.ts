import type { either as E } from 'fp-ts';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { SEAL_STREAM } from '../event-sourcing/operators/decision-events.js';
import { endOfDecisions, readSealDecisions } from '../event-sourcing/operators/read-decisions.js';
import { recordDecision } from '../event-sourcing/operators/record-decision.js';

/** Who decides by the settings of the service: there is nobody whom it knows. */
const ACTOR = 'the settings of the service';

const isOnIn = (data: string): boolean | undefined => {
  try {
    const { isOn } = JSON.parse(data) as { readonly isOn?: unknown }; // reason: tested below
    return typeof isOn === 'boolean' ? isOn : undefined;
  } catch {
    return undefined;
  }
};

/** Whether checkpoints are signed, as the log says it. Throws `StoreUnavailable`. */
const isRecordedOn = async (store: Pick<EventStore, 'readStream'>): Promise<boolean> => {
  let isOn = true;
  for await (const { data } of readSealDecisions(store, 'SealingSwitched')) isOn = isOnIn(data) ?? isOn;
  return isOn;
};

/**
 * Records in the log that checkpoints are not signed from now on, or are again, unless the log says so already: what is
 * appended meanwhile can be taken away unseen. True when it was recorded now. Throws what the log throws.
 */
export const recordSealing = (
  store: Pick<EventStore, 'readStream' | 'append'>,
  isOn: boolean,
  at: Date,
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    store,
    { stream: SEAL_STREAM, event: { type: 'SealingSwitched', data: { isOn } }, actor: ACTOR, at },
    async () => ({
      isRecorded: (await isRecordedOn(store)) === isOn,
      end: await endOfDecisions(store, SEAL_STREAM),
    }),
    eventKey,
  );
