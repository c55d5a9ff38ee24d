import type { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import { decisionIn } from '../operators/counts-as-decision.js';
import { type DecisionEvent, ERASURE_STREAM } from '../operators/decision-events.js';
import { endOfDecisions } from '../operators/read-decisions.js';
import { recordDecision } from '../operators/record-decision.js';
import type { Revision, StreamName } from '../recorded-event.js';
import type { Runtime } from '../runtime.js';
import type { Recorded } from '../serde.js';
import { readInParts } from './read-in-parts.js';

type ErasureDecision = Extract<DecisionEvent, { type: 'ErasureBegun' | 'RecordHeld' | 'RecordReleased' }>;

type StreamReader = Pick<EventStore, 'readStream'>;

/** A record that must not be erased, since when, who said so and why. */
export type Held = {
  readonly entityType: string;
  readonly entity: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
};

/** The stream of a record that is held. */
export const heldStream = ({ entityType, entity }: Pick<Held, 'entityType' | 'entity'>): StreamName =>
  `${entityType.toLowerCase()}-${entity}`;

/** An erasure that was begun. */
export type BegunErasure = Recorded<Extract<DecisionEvent, { type: 'ErasureBegun' }>>;

/** What counts of the stream of decisions about erasures. */
export type ErasureDecisions = {
  /** The oldest first. */
  readonly begun: ReadonlyArray<BegunErasure>;
  /** Those that are held now, the one that was held first before the others. */
  readonly held: ReadonlyArray<Held>;
};

const isBegun = (recorded: Recorded<DecisionEvent>): recorded is BegunErasure => recorded.event.type === 'ErasureBegun';

/**
 * The decisions about erasures from a revision on that are in the tree, and that somebody with one of the keys has recorded.
 * Throws `StoreUnavailable`.
 */
async function* decisionsFrom(
  store: StreamReader,
  keys: EventKeys,
  from: Revision,
): AsyncGenerator<Recorded<DecisionEvent>, void> {
  for await (const stored of readInParts(store, ERASURE_STREAM, from)) {
    const decision = decisionIn(stored, keys);
    if (decision !== undefined) yield decision;
  }
}

/** The erasures that were begun, from a revision of their stream on. Throws `StoreUnavailable`. */
export async function* begunErasuresFrom(
  store: StreamReader,
  keys: EventKeys,
  from: Revision,
): AsyncGenerator<BegunErasure, void> {
  for await (const recorded of decisionsFrom(store, keys, from)) if (isBegun(recorded)) yield recorded;
}

/** Which erasures were begun, and which records are held. Throws `StoreUnavailable`. */
export const readErasureDecisions = async (store: StreamReader, keys: EventKeys): Promise<ErasureDecisions> => {
  const begun: Array<BegunErasure> = [];
  const held = new Map<string, Held>();
  for await (const recorded of decisionsFrom(store, keys, 0n)) {
    if (isBegun(recorded)) begun.push(recorded);
    const { event, metadata } = recorded;
    if (event.type !== 'RecordHeld' && event.type !== 'RecordReleased') continue;
    const { entityType, entity, reason } = event.data;
    const record = `${entityType} ${entity}`;
    if (event.type === 'RecordReleased') held.delete(record);
    else if (!held.has(record))
      held.set(record, { entityType, entity, reason, actor: metadata.actor, at: metadata.at });
  }
  return { begun, held: [...held.values()] };
};

/**
 * Records a decision about erasures, unless `isRecorded` says of those that are there that it is among them: then false, else
 * true. Whatever is decided meanwhile is among those that it is asked about. Throws what `isRecorded` and the log throw.
 */
export const recordErasureDecision = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  { event, actor }: { readonly event: ErasureDecision; readonly actor: string },
  isRecorded: (decisions: ErasureDecisions) => boolean,
  keys: EventKeys,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    runtime,
    store,
    { stream: ERASURE_STREAM, event, actor, at: runtime.clock.date() },
    async () => {
      // first: a decision that is recorded after it is in the way of this one
      const end = await endOfDecisions(store, ERASURE_STREAM);
      return { end, isRecorded: isRecorded(await readErasureDecisions(store, keys)) };
    },
    keys[0],
  );
