import type { Position, Revision, StreamName } from '../../../src/event-sourcing/recorded-event.js';

/** A parked entity of the live rows: one of its events cannot be projected. */
export type Parked = {
  readonly projection: string;
  readonly stream: StreamName;
  /** Revision of that event. */
  readonly revision: Revision;
  readonly position: Position;
  readonly eventId: string;
  readonly error: string;
  /** Version of the projection that could not project it. */
  readonly codeVersion: string;
  /** Events of the stream that are not projected, that one included. */
  readonly waiting: number;
  readonly since: Date;
};
