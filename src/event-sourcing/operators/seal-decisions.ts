import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import { type MacStatus, macStatusOf } from '../event-mac.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import type { StoredEvent } from '../recorded-event.js';
import type { Runtime } from '../runtime.js';
import { type DecisionEvent, DECISIONS } from './decision-events.js';
import { endOfDecisions } from './read-decisions.js';
import { recordDecision } from './record-decision.js';
import { readDecision } from './unreadable-decision.js';
import { isAgain, makeUnsealedDecisions } from './unsealed-decisions.js';

type Log = Pick<EventStore, 'readStream' | 'readAll' | 'append'>;

export type Sealing = {
  /** Who records them again, and when. */
  readonly actor: string;
  readonly at: Date;
  /** The newest one seals; all of them tell which decisions were recorded by this service. */
  readonly keys: EventKeys;
  /** Whether decisions without a `mac` are recorded again although there are keys. */
  readonly withoutMac: boolean;
};

type Sealed = {
  /** How many were recorded in the tree. */
  readonly recorded: number;
  /** Those that were left as they are, and why: the end of a sentence. */
  readonly left: ReadonlyArray<{ readonly event: StoredEvent; readonly reason: string }>;
};

const FAULTS: Readonly<Record<MacStatus, string | undefined>> = {
  None: 'it has no mac',
  DoesNotFit: 'its mac does not fit',
  UnknownKey: 'its mac is of an unknown key',
  Fits: undefined,
  NotChecked: undefined,
};

const faultOf = (event: StoredEvent, { keys, withoutMac }: Sealing): string | undefined => {
  const status = macStatusOf(keys, event);
  return status === 'None' && (withoutMac || keys.length === 0) ? undefined : FAULTS[status];
};

/** Decisions outside of the tree that were not recorded in it again. Throws `StoreUnavailable`. */
const findUnsealed = async (store: Pick<EventStore, 'readAll'>): Promise<ReadonlyArray<StoredEvent>> => {
  const decisions = makeUnsealedDecisions();
  for await (const { events } of store.readAll({ after: 'start', categories: [DECISIONS] }))
    for (const event of events) decisions.take(event);
  return decisions.rest();
};

const isRecorded = async (store: Log, original: StoredEvent): Promise<boolean> => {
  for await (const page of store.readStream(original.stream, { direction: 'forwards' }))
    for (const event of page) if (isAgain(event, original)) return true;
  return false;
};

/**
 * Records the operators' decisions that programs before this one left out of the tree in it again, with who decided, and
 * when: from then on nobody can remove them unseen. What is not known to be a decision is left. Throws what the log throws.
 */
export const sealDecisions = async (
  runtime: Runtime,
  store: Log,
  sealing: Sealing,
): Promise<E.Either<AppendRejected | StoreUnavailable, Sealed>> => {
  const { actor, at, keys } = sealing;
  const left: Array<Sealed['left'][number]> = [];
  let recorded = 0;
  for (const event of await findUnsealed(store)) {
    const decoded = readDecision(event);
    const fault = E.isLeft(decoded) ? 'it cannot be read as a decision of operators' : faultOf(event, sealing);
    if (fault !== undefined || E.isLeft(decoded)) {
      left.push({ event, reason: fault ?? '' });
      continue;
    }
    const { metadata, event: decided } = decoded.right;
    const original = { id: event.id, actor: metadata.actor, at: metadata.at, hash: metadata.hash };
    // reason: the same decision, with one member more
    const again = { ...decided, data: { ...decided.data, original } } as DecisionEvent;
    const done = await recordDecision(
      runtime,
      store,
      { stream: event.stream, event: again, actor, at },
      async () => ({
        isRecorded: await isRecorded(store, event),
        end: await endOfDecisions(store, event.stream),
      }),
      keys[0],
    );
    if (E.isLeft(done)) return done;
    if (done.right) recorded += 1;
  }
  return E.right({ recorded, left });
};
