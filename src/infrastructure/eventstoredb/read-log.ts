import { setMaxListeners } from 'node:events';
import {
  asStoreUnavailable,
  type EventStore,
  type LogBatch,
  type LogRange,
  StoreUnavailable,
} from '../../event-sourcing/event-store.js';
import { pause } from '../../event-sourcing/pause.js';
import { CallFailed } from './call-failed.js';
import { type Following, followLog } from './follow-log.js';
import type { Access } from './on-leader.js';
import { pauseOf } from './timings.js';

/** Follows over broken connections, each time from the last place reached; gives up `patience` ms after the last. */
async function* persist(access: Access, following: Following, patience: number): AsyncGenerator<LogBatch> {
  const { signal } = following;
  let { after } = following;
  let reachedAt = performance.now();
  for (let round = 0; ; round++) {
    try {
      for await (const batch of followLog(access, { ...following, after })) {
        if (signal.aborted) return;
        after = batch.checkpoint;
        round = 0;
        yield batch;
        reachedAt = performance.now();
      }
      return;
    } catch (failure) {
      if (signal.aborted) return;
      if (!(failure instanceof CallFailed || failure instanceof StoreUnavailable)) throw failure;
      const isOutOfPatience = performance.now() - reachedAt > patience;
      if (isOutOfPatience || access.connection.closed.aborted) throw asStoreUnavailable(failure);
      if (failure instanceof CallFailed) access.onConnectionEvent({ kind: 'resubscribed', cause: failure });
    }
    await pause(pauseOf(access.timings, round), signal);
  }
}

/** One subscription up to where it has caught up: unlike a filtered read it tells how far it came without a match. */
export const makeReadAll =
  (access: Access, ours: ReadonlyArray<string>): EventStore['readAll'] =>
  ({ after, categories = ours }: LogRange) => {
    const { signal } = new AbortController();
    return persist(access, { after, categories, isBounded: true, signal }, access.timings.patience);
  };

/** Subscribes again for as long as it takes. */
export const makeSubscribe = (access: Access, ours: ReadonlyArray<string>): EventStore['subscribe'] =>
  async function* subscribe({ after, categories = ours }: LogRange, given: AbortSignal): AsyncGenerator<LogBatch> {
    // many subscribers may share one signal, and each of them listens in several places
    const signal = AbortSignal.any([given, access.connection.closed]);
    setMaxListeners(0, signal);
    if (!signal.aborted) yield* persist(access, { after, categories, isBounded: false, signal }, Infinity);
  };
