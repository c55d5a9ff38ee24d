import * as t from 'io-ts';
import type { StreamName } from '../src/event-sourcing/recorded-event.js';
import { makeSerde } from '../src/event-sourcing/serde.js';

/** An operator's decision, recorded in the log for ever: the projection folds this event as if it changed nothing. */
export const ProjectionEventSkipped = t.strict({
  type: t.literal('ProjectionEventSkipped'),
  data: t.strict({
    projection: t.string,
    stream: t.string,
    revision: t.number,
    eventId: t.string,
    reason: t.string,
  }),
});
export type ProjectionEventSkipped = t.TypeOf<typeof ProjectionEventSkipped>;

export const skippedSerde = makeSerde<ProjectionEventSkipped>(ProjectionEventSkipped, {});

/** The category of the operators' decisions. */
export const SKIP_CATEGORY = 'operations';

/** The stream that holds the operators' decisions about one projection. */
export const operationsStream = (projection: string): StreamName => `${SKIP_CATEGORY}-${projection}`;
