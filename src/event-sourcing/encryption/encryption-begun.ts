import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import { countsAsDecision } from '../operators/counts-as-decision.js';
import { decisionSerde, SEAL_STREAM } from '../operators/decision-events.js';
import { endOfDecisions, readSealDecisions } from '../operators/read-decisions.js';
import { recordDecision } from '../operators/record-decision.js';
import type { Runtime } from '../runtime.js';

const ACTOR = 'the settings of the service';

/** The tree by whose keys the log says that its data is encrypted; undefined where it says nothing. Throws `StoreUnavailable`. */
export const findEncryptionBegun = async (
  store: Pick<EventStore, 'readStream'>,
  keys: EventKeys,
): Promise<string | undefined> => {
  let tree: string | undefined;
  for await (const stored of readSealDecisions(store, 'EncryptionBegun')) {
    if (!countsAsDecision(stored, keys)) continue;
    const decoded = decisionSerde.decode(stored);
    // the last one counts: a log that was imported has keys of its own
    if (E.isRight(decoded) && decoded.right.event.type === 'EncryptionBegun') ({ tree } = decoded.right.event.data);
  }
  return tree;
};

/** Records in the log that its data is encrypted by this tree, unless it says so already. Throws what the log throws. */
export const recordEncryptionBegun = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  tree: string,
  keys: EventKeys,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    runtime,
    store,
    {
      stream: SEAL_STREAM,
      event: { type: 'EncryptionBegun', data: { tree } },
      actor: ACTOR,
      at: runtime.clock.date(),
    },
    async () => ({
      isRecorded: (await findEncryptionBegun(store, keys)) === tree,
      end: await endOfDecisions(store, SEAL_STREAM),
    }),
    keys[0],
  );
