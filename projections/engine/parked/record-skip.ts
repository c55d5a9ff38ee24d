import type { either as E } from 'fp-ts';
import type { EventKey } from '../../../src/event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { decisionStream } from '../../../src/event-sourcing/operators/decision-events.js';
import { recordDecision } from '../../../src/event-sourcing/operators/record-decision.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { Parked } from './parked.js';
import { readSkips } from './skips.js';

/** Who decided, why and when. */
export type Decision = { readonly actor: string; readonly reason: string; readonly at: Date };

/**
 * Appends the decision to skip an event. True when it was recorded now, false when it had been recorded before. Throws
 * what the log throws.
 */
export const recordSkip = (
  runtime: Runtime,
  store: EventStore,
  projection: string,
  { stream, revision, eventId }: Pick<Parked, 'stream' | 'revision' | 'eventId'>,
  { actor, reason, at }: Decision,
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    runtime,
    store,
    {
      stream: decisionStream(projection),
      event: {
        type: 'ProjectionEventSkipped',
        data: { projection, stream, revision: Number(revision), eventId, reason },
      },
      actor,
      at,
    },
    async () => {
      const { events, end } = await readSkips(store, projection);
      return { isRecorded: events.ids.has(eventId), end };
    },
    eventKey,
  );
