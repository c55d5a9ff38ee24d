import type { Position, Revision, StreamName } from '../recorded-event.js';

/** A row of a read model that stands in for the fold of its stream up to a revision. */
export type Snapshot<State> = {
  readonly state: State;
  readonly revision: Revision;
  readonly creationPosition: Position;
  readonly lastHash: string;
  /** Times of the first and of the last event. */
  readonly createdAt: string;
  readonly lastAt: string;
  /** Whether a command with an `Idempotency-Key` is in the stream. */
  readonly hasKeyedCommands: boolean;
};

/**
 * Finds a snapshot that nobody but this service can have made. Undefined when there is none, or it cannot be read in
 * time. The stream may have gone on since; it is a hint, as a cached fold is (docs/adr/0002).
 */
export type FindSnapshot<State> = (stream: StreamName) => Promise<Snapshot<State> | undefined>;
