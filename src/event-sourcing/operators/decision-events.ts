import * as t from 'io-ts';
import { ErasedEvents } from '../erasure/erased-events.js';
import type { StreamName } from '../recorded-event.js';
import { makeSerde, type Upcaster } from '../serde.js';

/** The category of the operators' decisions, which are kept in the log for ever. */
export const DECISIONS = 'operations';

/** The stream of the decisions about one thing. */
export const decisionStream = (subject: string): StreamName => `${DECISIONS}-${subject}`;

/** The stream of the decisions about what is erased. */
export const ERASURE_STREAM = decisionStream('erasure');

/** The stream of the decisions about how the whole log is sealed. */
export const SEAL_STREAM = decisionStream('seal');

/** Of a decision that was recorded outside of the tree before, and is recorded in it again: what the first event said. */
const again = t.partial({
  original: t.type({ id: t.string, actor: t.string, at: t.string, hash: t.string }),
});

const decision = <Type extends string, Props extends t.Props>(type: Type, props: Props) =>
  t.type({ type: t.literal(type), data: t.intersection([t.type(props), again]) });

/** A projection folds this event as if it changed nothing. */
const ProjectionEventSkipped = decision('ProjectionEventSkipped', {
  projection: t.string,
  stream: t.string,
  revision: t.number,
  eventId: t.string,
  reason: t.string,
});

/** Checkpoints have another origin from now on. `note` is signed by the key of the checkpoints (`sealing/restart.ts`). */
export const SealRestarted = decision('SealRestarted', {
  origin: t.string,
  replaced: t.string,
  reason: t.string,
  note: t.string,
});

/**
 * Another key signs the checkpoints of `origin` from now on. `replaced` and `key` are verifier keys; the first one has signed
 * the first `size` leaves, whose root is `root`. `note` is signed by both (`sealing/key-change.ts`).
 */
export const CheckpointKeyReplaced = decision('CheckpointKeyReplaced', {
  origin: t.string,
  replaced: t.string,
  key: t.string,
  size: t.number,
  root: t.string,
  reason: t.string,
  note: t.string,
});

/** Of the events of the tree, only those before index `from` may have no `mac`. */
const EventMacRequired = decision('EventMacRequired', { keyId: t.string, from: t.number });

/** Whether checkpoints are signed from now on. */
const SealingSwitched = decision('SealingSwitched', { isOn: t.boolean });

/** Data of records are encrypted at rest from now on, by keys of this tree (`encryption/`). */
const EncryptionBegun = decision('EncryptionBegun', { tree: t.string });

/**
 * The data of these events is about to be destroyed; the stream of each record says it when that is done. It names nobody: the
 * events tell what is meant, for as long as they can be read.
 */
const ErasureBegun = decision('ErasureBegun', {
  records: t.readonlyArray(t.type({ stream: t.string, events: ErasedEvents })),
  basis: t.string,
});

const held = { entityType: t.string, entity: t.string, reason: t.string };

/** A record must not be erased from now on. */
const RecordHeld = decision('RecordHeld', held);

/** A record that was held may be erased again. */
const RecordReleased = decision('RecordReleased', held);

/** What operators decide. */
export const DecisionEvent = t.union([
  ProjectionEventSkipped,
  SealRestarted,
  CheckpointKeyReplaced,
  EventMacRequired,
  SealingSwitched,
  EncryptionBegun,
  ErasureBegun,
  RecordHeld,
  RecordReleased,
]);
export type DecisionEvent = t.TypeOf<typeof DecisionEvent>;

/**
 * The schema version of decisions that are leaves of the tree. Those of version 1 were recorded by programs that left them
 * out, and stay out: otherwise a leaf below a signed checkpoint would move.
 */
export const DECISION_VERSION = 2;

const asItWas: Upcaster = (data) => data;

export const decisionSerde = makeSerde<DecisionEvent>(
  DecisionEvent,
  // what version 1 of EventMacRequired said was bound to its position, and counts no more
  Object.fromEntries(DecisionEvent.types.map(({ props }) => [props.type.value, [asItWas]])),
);
