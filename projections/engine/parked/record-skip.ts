import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import { canonicalJson } from '../../../src/event-sourcing/canonical-json.js';
import { seal } from '../../../src/event-sourcing/envelope.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { operationsStream, type ProjectionEventSkipped, skippedSerde } from '../../skipped-event.js';
import type { Parked } from './read-parked.js';
import { readSkips } from './skips.js';

/** Who decided, why and when. */
export type Decision = { readonly actor: string; readonly reason: string; readonly at: Date };

/** For conflicts with other operators who decide at the same moment. */
const RETRY = { attempts: 5, first: 10, longest: 100 };

/**
 * Appends the decision to skip an event. True when it was recorded now, false when it had been recorded before. Throws
 * what the log throws.
 */
export const recordSkip = async (
  store: EventStore,
  projection: string,
  { stream, revision, eventId }: Pick<Parked, 'stream' | 'revision' | 'eventId'>,
  { actor, reason, at }: Decision,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> => {
  const type: ProjectionEventSkipped['type'] = 'ProjectionEventSkipped';
  const data: ProjectionEventSkipped['data'] = { projection, stream, revision: Number(revision), eventId, reason };
  const operations = operationsStream(projection);
  const commandId = randomUUID();
  const retry = makeRetry(RETRY);
  for (;;) {
    const { events, end } = await readSkips(store, projection);
    if (events.ids.has(eventId)) return E.right(false);
    const { hash: _hash, ...event } = seal({
      id: commandId,
      stream: operations,
      revision: end.revision,
      type,
      data,
      schemaVersion: skippedSerde.schemaVersionOf(type),
      at: at.toISOString(),
      actor,
      correlationId: commandId,
      causationId: commandId,
      request: canonicalJson(data),
      previousHash: end.hash,
    });
    const appended = await store.append(operations, end.revision === 0n ? 'no-stream' : end.revision - 1n, [event]);
    if (E.isRight(appended)) return E.right(true);
    if (appended.left._tag !== 'RevisionConflict') return E.left(appended.left);
    if (!(await retry.again()))
      return E.left({ _tag: 'AppendRejected', reason: `others keep appending to ${operations}` });
  }
};
