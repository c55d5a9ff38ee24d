import { CheckpointNotInLog, type LogBatch, type LogRange } from '../../../event-sourcing/event-store.js';
import { categoryOf, checkpointAt, type Position } from '../../../event-sourcing/recorded-event.js';
import type { CommitFeed, LogSlice } from './commit-feed.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import type { Pages } from './read/pages.js';
import { makeRetry } from '../../../event-sourcing/retry.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';

/** Bounds of the pause before a read is repeated, ms. */
const RETRY = { first: 300, longest: 300 };

type SubscriptionDeps = {
  readonly runtime: Runtime;
  readonly feed: CommitFeed;
  readonly pages: Pages;
  readonly onConnectionEvent: OnConnectionEvent;
};

/**
 * Follows the log. Events that this process has just committed come from memory when they follow the cursor without a
 * gap; all others are read from the table, page by page.
 */
export async function* followLog(
  { runtime, feed, pages, onConnectionEvent }: SubscriptionDeps,
  { after, categories }: LogRange,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  /** Repeats a read until it succeeds; undefined when the subscription ends first. */
  const persist = async <A>(read: () => Promise<A>): Promise<A | undefined> => {
    const retry = makeRetry({ runtime, ...RETRY, signal });
    do {
      try {
        return await read();
      } catch (cause) {
        onConnectionEvent({ kind: 'read-repeated', cause });
      }
    } while (await retry.again());
    return undefined;
  };

  const next = async (cursor: Position): Promise<LogSlice | undefined> => {
    const from = await feed.grown(cursor, signal, categories);
    if (from > cursor && from === feed.head()) return { events: [], head: from };
    const buffered = feed.after(from);
    if (buffered === undefined) {
      const page = await persist(() => pages.log(from, feed.head(), categories));
      return page && { events: page.events, head: page.seen };
    }
    if (categories === undefined) return buffered;
    return { ...buffered, events: buffered.events.filter(({ stream }) => categories.includes(categoryOf(stream))) };
  };

  const heard = feed.head();
  feed.forget();
  let head = await persist(pages.head);
  if (head !== undefined && head < heard) {
    feed.lower(head);
    // what was committed since it was read has not raised the head of the feed
    head = await persist(pages.head);
  }
  if (head === undefined) return;
  if (after !== 'start' && after.commit > head)
    throw new CheckpointNotInLog(after, `the log ends at position ${head}, before the checkpoint ${after.commit}`);
  feed.raise(head);

  let cursor = after === 'start' ? 0n : after.commit;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const slice = await next(cursor);
    if (slice === undefined || isOver()) return;
    cursor = slice.head;
    yield { events: slice.events, checkpoint: checkpointAt(cursor) };
  }
}
