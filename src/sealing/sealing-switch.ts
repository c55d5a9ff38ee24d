import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { countsAsDecision } from '../event-sourcing/operators/counts-as-decision.js';
import { decisionSerde, SEAL_STREAM } from '../event-sourcing/operators/decision-events.js';
import { endOfDecisions, readSealDecisions } from '../event-sourcing/operators/read-decisions.js';
import { recordDecision } from '../event-sourcing/operators/record-decision.js';
import type { Runtime } from '../event-sourcing/runtime.js';

/** Who decides by the settings of the service: there is nobody whom it knows. */
const ACTOR = 'the settings of the service';

/**
 * Whether checkpoints are signed, as the log says it: by decisions that are in the tree, and that somebody with a key has
 * recorded. Throws `StoreUnavailable`.
 */
const isRecordedOn = async (store: Pick<EventStore, 'readStream'>, keys: EventKeys): Promise<boolean> => {
  let isOn = true;
  for await (const stored of readSealDecisions(store, 'SealingSwitched')) {
    if (!countsAsDecision(stored, keys)) continue;
    const decoded = decisionSerde.decode(stored);
    if (E.isRight(decoded) && decoded.right.event.type === 'SealingSwitched') ({ isOn } = decoded.right.event.data);
  }
  return isOn;
};

/**
 * Records in the log that checkpoints are not signed from now on, or are again, unless the log says so already: what is
 * appended meanwhile can be taken away unseen. True when it was recorded now. Throws what the log throws.
 */
export const recordSealing = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  isOn: boolean,
  keys: EventKeys,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    runtime,
    store,
    {
      stream: SEAL_STREAM,
      event: { type: 'SealingSwitched', data: { isOn } },
      actor: ACTOR,
      at: runtime.clock.date(),
    },
    async () => ({
      isRecorded: (await isRecordedOn(store, keys)) === isOn,
      end: await endOfDecisions(store, SEAL_STREAM),
    }),
    keys[0],
  );
