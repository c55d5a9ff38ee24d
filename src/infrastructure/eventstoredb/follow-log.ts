import type { LogBatch } from '../../event-sourcing/event-store.js';
import type { From } from '../../event-sourcing/recorded-event.js';
import { CallFailed } from './call-failed.js';
import { checkCheckpoint, notInLog } from './check-checkpoint.js';
import { newestPosition } from './newest-position.js';
import { batchOf } from './log-batch.js';
import { type LogFeed, openFeed } from './log-feed.js';
import type { Node } from './node.js';
import type { Access } from './on-leader.js';
import { subscription } from './read-request.js';

export type Following = {
  readonly after: From;
  readonly categories: ReadonlyArray<string>;
  /** End at the head, as it is when it is reached. */
  readonly isBounded: boolean;
  readonly signal: AbortSignal;
};

/** Whether more is in the log than was seen; a node that cannot say so is as suspicious as one that says yes. */
const isBehind = async (node: Node, silence: number, categories: ReadonlyArray<string>, seen: From): Promise<boolean> =>
  newestPosition(node, categories, silence).then(
    (head) => head !== undefined && (seen === 'start' || head > seen.commit),
    () => true,
  );

async function* batches(
  { timings, onConnectionEvent }: Access,
  node: Node,
  { after, categories, isBounded }: Following,
  feed: LogFeed,
): AsyncGenerator<LogBatch> {
  let seen = after;
  for (let suspicions = 0; suspicions < 2;) {
    const responses = await feed.take(timings.watch);
    const batch = batchOf(responses, seen);
    if (batch !== undefined) {
      seen = batch.checkpoint;
      yield batch;
    }
    if (isBounded && responses.some((response) => response.hasCaughtUp())) return;
    // a read that has an end is never quiet before it; a subscription is, when nothing happens
    const isSuspicious =
      responses.length === 0 && (isBounded || (await isBehind(node, timings.silence, categories, seen)));
    suspicions = isSuspicious ? suspicions + 1 : 0;
  }
  onConnectionEvent({ kind: 'watchdog' });
  throw new CallFailed('unknown', 'EventStoreDB: a subscription fell silent');
}

/**
 * The log behind a place, over one call. Rejects with `CallFailed` (the node is then given up), `StoreUnavailable`,
 * or `CheckpointNotInLog`.
 */
export async function* followLog(access: Access, following: Following): AsyncGenerator<LogBatch> {
  const { after, categories, signal } = following;
  await checkCheckpoint(access, after);
  const node = await access.connection.node();
  const feed = openFeed(node, subscription(after, categories), signal);
  try {
    yield* batches(access, node, following, feed);
  } catch (failure) {
    if (!(failure instanceof CallFailed)) throw failure;
    if (failure.kind === 'invalid-position' && after !== 'start') throw notInLog(after, 'no record stands there');
    if (failure.isPassing && !signal.aborted) access.connection.giveUp(node, failure);
    throw failure;
  } finally {
    feed.cancel();
  }
}
