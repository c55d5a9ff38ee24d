import { makeBoundedCache } from './bounded-cache.js';
import { estimateBytes } from './estimate-bytes.js';
import type { NewEvent, Position, StoredEvent } from './recorded-event.js';

/** What an entity is after the last event of a command. */
type Decision = {
  /** The metadata of that event: its hash covers the whole event. */
  readonly metadata: string;
  /** Of the entity's own type. */
  readonly state: unknown;
  /** Position of the first event of the stream, where it is known. */
  readonly creationPosition: Position | undefined;
  readonly lastHash: string;
  /** Times of the first and of the last event of the stream. */
  readonly createdAt: string;
  readonly lastAt: string;
  /** Whether a command with an `Idempotency-Key` is in the stream. */
  readonly hasKeyedCommands: boolean;
};

/**
 * What the commands of this process have just decided, for whoever meets their events in the log: these need not be
 * decoded and folded once more. It is only ever a saving: an event that was decided elsewhere, or long ago, is not here.
 */
export type Decisions = {
  /** Call it before the event is appended: the log may deliver the event before the append returns. */
  readonly add: (event: Pick<NewEvent, 'id'>, decision: Decision) => void;
  /** The decision that this very event ended, if it is remembered. */
  readonly endedBy: (event: StoredEvent) => Decision | undefined;
};

/** Decisions remembered, at most twice as many, and fewer of large entities: those in the log and not yet in the rows. */
const REMEMBERED = 1_000;

export const makeDecisions = (): Decisions => {
  const remembered = makeBoundedCache<string, Decision>(REMEMBERED, ({ state }) => estimateBytes(state));
  return {
    add: ({ id }, decision) => remembered.set(id, decision),
    endedBy: ({ id, metadata }) => {
      const decision = remembered.get(id);
      return decision?.metadata === metadata ? decision : undefined;
    },
  };
};
