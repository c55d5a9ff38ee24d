import { setMaxListeners } from 'node:events';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import {
  asStoreUnavailable,
  type EventStore,
  type LogBatch,
  type LogRange,
  StoreUnavailable,
} from '../../../event-sourcing/event-store.js';
import { orThrow } from '../../../event-sourcing/attempt.js';
import type { From, StoredEvent } from '../../../event-sourcing/recorded-event.js';
import { makeRetry } from '../../../event-sourcing/retry.js';
import { CallFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import type { Access } from '../connection/on-leader.js';
import { asCheckpoint } from './between-records.js';
import { failWhenPastEnd, notInLog } from './checkpoint.js';
import { newestPosition } from './head.js';
import { subscriptionRequest } from './read-request.js';
import { batchIn, isCaughtUp, isUserEvent } from './read-response.js';
import { callSubscription, type SubscriptionCall } from './subscription-call.js';

export type LogRead = {
  readonly after: From;
  /** Asks the server for all of it that comes after a place. */
  readonly request: (after: From) => ReadReq;
  /** Which of the records that the server then gives are read. */
  readonly isWanted: (record: Pick<StoredEvent, 'type'>) => boolean;
  /** Those of which a subscription looks for the head while it is quiet. */
  readonly categories: ReadonlyArray<string>;
  /** Ends when it has caught up; a subscription goes on with what is appended. */
  readonly isBounded: boolean;
  readonly signal: AbortSignal;
};

/** Whether the log goes on after `reached`; also true when the node cannot say, which is as bad. */
const isBehind = (node: Node, timeout: number, categories: ReadonlyArray<string>, reached: From): Promise<boolean> =>
  newestPosition(node, categories, timeout).then(
    (head) => head !== undefined && (reached === 'start' || head > reached.commit),
    () => true,
  );

/** Ends the call when it is behind after two intervals of the watchdog in a row. */
async function* batches(
  { timings, onConnectionEvent }: Access,
  node: Node,
  { after, isWanted, categories, isBounded }: LogRead,
  call: SubscriptionCall,
): AsyncGenerator<LogBatch> {
  let reached = after;
  for (let intervalsBehind = 0; intervalsBehind < 2;) {
    const messages = await call.take(timings.watchdogInterval);
    const batch = batchIn(messages, reached, isWanted);
    if (batch !== undefined) {
      reached = batch.checkpoint;
      yield batch;
    }
    if (isBounded && isCaughtUp(messages)) return;
    // a bounded read has no reason to be quiet; a subscription is quiet when nothing is appended
    const isStuck =
      messages.length === 0 && (isBounded || (await isBehind(node, timings.idleTimeout, categories, reached)));
    intervalsBehind = isStuck ? intervalsBehind + 1 : 0;
  }
  onConnectionEvent({ kind: 'watchdog' });
  throw new CallFailed('outcome-unknown', 'EventStoreDB: a subscription fell silent');
}

/** Throws `CallFailed` (a node that failed is discarded), `StoreUnavailable`, or `CheckpointNotInLog`. */
async function* readOverOneCall(access: Access, read: LogRead): AsyncGenerator<LogBatch> {
  const { after, request, signal } = read;
  if (after !== 'start') await failWhenPastEnd(access, after);
  const node = orThrow(await access.connection.node());
  const call = callSubscription(node, request(after), signal);
  try {
    yield* batches(access, node, read, call);
  } catch (failure) {
    if (!(failure instanceof CallFailed)) throw failure;
    if (failure.kind === 'invalid-position' && after !== 'start') throw notInLog(after, 'no record begins there');
    if (failure.isTransient && !signal.aborted) access.connection.discard(node, failure);
    throw failure;
  } finally {
    call.cancel();
  }
}

const isOfConnection = (failure: unknown): boolean =>
  failure instanceof CallFailed || failure instanceof StoreUnavailable;

/**
 * One call after another, each from the last checkpoint, until `timeout` milliseconds have passed without progress. An
 * aborted subscription ends without error; a bounded read then fails, since it is not complete.
 */
export async function* readAcrossCalls(access: Access, read: LogRead, timeout: number): AsyncGenerator<LogBatch> {
  const { isBounded, signal } = read;
  const isUnsubscribed = (): boolean => !isBounded && signal.aborted;
  const { runtime } = access;
  const newRetry = () =>
    makeRetry({ runtime, ...access.timings.backoff, until: runtime.clock.monotonic() + timeout, signal });
  // programs before this one stored them as the server gives them
  let after = read.after === 'start' ? read.after : asCheckpoint(read.after);
  for (let retry = newRetry(); ;) {
    try {
      for await (const batch of readOverOneCall(access, { ...read, after })) {
        if (isUnsubscribed()) return;
        after = batch.checkpoint;
        yield batch;
        retry = newRetry();
      }
      return;
    } catch (failure) {
      const isRetried = isOfConnection(failure) && (await retry.again());
      if (isUnsubscribed()) return;
      if (!isOfConnection(failure)) throw failure;
      if (!isRetried) throw asStoreUnavailable(failure);
      if (failure instanceof CallFailed) access.onConnectionEvent({ kind: 'resubscribed', cause: failure });
    }
  }
}

const eventsOf = (categories: ReadonlyArray<string>): Pick<LogRead, 'request' | 'isWanted' | 'categories'> => ({
  request: (after) => subscriptionRequest(after, categories),
  isWanted: isUserEvent,
  categories,
});

/** A subscription that ends when it has caught up: unlike a filtered read, it reports its position without a match, too. */
export const makeReadAll =
  (access: Access, all: ReadonlyArray<string>): EventStore['readAll'] =>
  ({ after, categories = all }: LogRange) => {
    const signal = access.connection.closed;
    return readAcrossCalls(access, { ...eventsOf(categories), after, isBounded: true, signal }, access.timings.timeout);
  };

export const makeSubscribe = (access: Access, all: ReadonlyArray<string>): EventStore['subscribe'] =>
  async function* subscribe({ after, categories = all }: LogRange, given: AbortSignal): AsyncGenerator<LogBatch> {
    const signal = AbortSignal.any([given, access.connection.closed]);
    // several parts of a subscription listen
    setMaxListeners(0, signal);
    if (!signal.aborted)
      yield* readAcrossCalls(access, { ...eventsOf(categories), after, isBounded: false, signal }, Infinity);
  };
