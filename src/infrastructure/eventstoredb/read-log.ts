import { setMaxListeners } from 'node:events';
import { CheckpointNotInLog, type EventStore, type LogBatch, type LogRange } from '../../event-sourcing/event-store.js';
import { asStoreUnavailable, CallFailed, toError } from './call-failed.js';
import { StoreUnavailable } from '../../event-sourcing/event-store.js';
import { followLog } from './follow-log.js';
import type { Access } from './on-leader.js';
import { pauseOf, sleep } from './timings.js';

/** One subscription up to where it has caught up: unlike a filtered read it tells how far it came without a match. */
export const makeReadAll = (access: Access, ours: ReadonlyArray<string>): EventStore['readAll'] =>
  async function* readAll({ after, categories = ours }: LogRange): AsyncGenerator<LogBatch> {
    const { signal } = new AbortController();
    try {
      yield* followLog(access, { after, categories, isBounded: true, signal });
    } catch (failure) {
      throw failure instanceof CallFailed ? asStoreUnavailable(failure) : failure;
    }
  };

const isPassing = (failure: unknown): boolean => failure instanceof CallFailed || failure instanceof StoreUnavailable;

/** Subscribes again from the last place it reached, for as long as it takes. */
export const makeSubscribe = (access: Access, ours: ReadonlyArray<string>): EventStore['subscribe'] =>
  async function* subscribe({ after, categories = ours }: LogRange, given: AbortSignal): AsyncGenerator<LogBatch> {
    // many subscribers may share one signal, and each of them listens in several places
    const signal = AbortSignal.any([given]);
    setMaxListeners(0, signal);
    const isOver = (): boolean => signal.aborted;
    let seen = after;
    for (let round = 0; !isOver(); round++) {
      try {
        for await (const batch of followLog(access, { after: seen, categories, isBounded: false, signal })) {
          if (isOver()) return;
          seen = batch.checkpoint;
          round = 0;
          yield batch;
        }
      } catch (failure) {
        if (isOver()) return;
        if (failure instanceof CheckpointNotInLog || !isPassing(failure)) throw failure;
        access.onIncident({ kind: 'resubscribed', cause: toError(failure) });
      }
      await sleep(pauseOf(access.timings, round), signal);
    }
  };
