import type { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import type { Runtime } from '../runtime.js';
import { decisionIn } from './counts-as-decision.js';
import { type DecisionEvent, SEAL_STREAM } from './decision-events.js';
import { endOfDecisions, readSealDecisions } from './read-decisions.js';
import { recordDecision } from './record-decision.js';

/** Who decides by the settings of the service: there is nobody whom it knows. */
const ACTOR = 'the settings of the service';

/** What the decisions say that settings make again and again, by their types: the last one of each counts. */
type BySettings = {
  readonly [Type in 'SealingSwitched' | 'EncryptionBegun']: Extract<DecisionEvent, { type: Type }>['data'];
};

/** What the last decision of this type says that counts; undefined where there is none. Throws `StoreUnavailable`. */
export const lastBySettings = async <Type extends keyof BySettings>(
  store: Pick<EventStore, 'readStream'>,
  type: Type,
  keys: EventKeys,
): Promise<BySettings[Type] | undefined> => {
  let data: BySettings[Type] | undefined;
  for await (const stored of readSealDecisions(store, type)) {
    const event = decisionIn(stored, keys)?.event;
    // reason: `readSealDecisions` gives those of this type alone
    if (event !== undefined) data = event.data as BySettings[Type];
  }
  return data;
};

/** Records such a decision, unless the last one says the same (`isSaid`). True when it was recorded now. Throws what the log throws. */
export const recordBySettings = <Type extends keyof BySettings>(
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  { type, data }: { readonly type: Type; readonly data: BySettings[Type] },
  isSaid: (last: BySettings[Type] | undefined) => boolean,
  keys: EventKeys,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    runtime,
    store,
    { stream: SEAL_STREAM, event: { type, data }, actor: ACTOR, at: runtime.clock.date() },
    async () => {
      // first: a decision that is recorded after it is in the way of this one
      const end = await endOfDecisions(store, SEAL_STREAM);
      return { end, isRecorded: isSaid(await lastBySettings(store, type, keys)) };
    },
    keys[0],
  );
