import { either as E } from 'fp-ts';
import { objectIn } from '../canonical-json.js';
import { categoryOf, type StoredEvent } from '../recorded-event.js';
import type { Recorded } from '../serde.js';
import {
  DECISION_VERSION,
  type DecisionEvent,
  DECISIONS,
  decisionSerde,
  ERASURE_STREAM,
  SEAL_STREAM,
} from './decision-events.js';
import { isSealedDecision } from './sealed-decision.js';

/** An event where operators' decisions are kept, of which this program cannot tell what was decided. For an operator. */
export class UnreadableDecision extends Error {
  constructor({ stream, revision, id, metadata }: StoredEvent) {
    const schemaVersion = objectIn(metadata)?.['schemaVersion'];
    const isNewer = typeof schemaVersion === 'number' && schemaVersion > DECISION_VERSION;
    const why = isNewer ? 'a newer version of it has recorded it, or nobody' : 'no version of it records such a one';
    super(
      `${stream}, revision ${revision} (event ${id}), cannot be read as a decision of operators by this program: ${why}. See ops log verify`,
    );
    this.name = 'UnreadableDecision';
  }
}

/** Those that stand in a stream of their own; the others are about how the log is sealed. */
const OF_ERASURES: ReadonlyArray<string> = ['ErasureBegun', 'RecordHeld', 'RecordReleased'] satisfies ReadonlyArray<
  DecisionEvent['type']
>;

/** Whether an event stands in the stream of the decisions that it is one of. */
const isOfStream = ({ type, stream }: StoredEvent): boolean => {
  if (type === 'ProjectionEventSkipped') return stream !== SEAL_STREAM && stream !== ERASURE_STREAM;
  return stream === (OF_ERASURES.includes(type) ? ERASURE_STREAM : SEAL_STREAM);
};

/** The decision that an event is, in the stream of such decisions. Left: it is none that this program could read. */
export const readDecision = (stored: StoredEvent): E.Either<UnreadableDecision, Recorded<DecisionEvent>> => {
  const decoded = decisionSerde.decode(stored);
  return E.isRight(decoded) && isOfStream(stored) ? decoded : E.left(new UnreadableDecision(stored));
};

/** Whether an event stands where operators' decisions are kept, and says nothing that this program could read. */
export const isUnreadable = (event: StoredEvent): boolean => {
  if (categoryOf(event.stream) !== DECISIONS) return false;
  // what such a one of version 1 said counts no more, whatever it is
  if (event.type === 'EventMacRequired' && !isSealedDecision(event)) return false;
  return E.isLeft(readDecision(event));
};
