import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type { LogBatch } from '../../../src/event-sourcing/event-store.js';
import type { Position, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { type Committed, makeCommitFeed } from '../../../src/infrastructure/postgres/event-log/commit-feed.js';
import type { Pages } from '../../../src/infrastructure/postgres/event-log/read/pages.js';
import { followLog } from '../../../src/infrastructure/postgres/event-log/subscription.js';
import { anEvent, aStream } from '../../contract/event-store/store-under-test.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const eventAt = (position: Position, category = 'business'): StoredEvent => ({
  ...anEvent(),
  stream: aStream(category),
  revision: 0n,
  position,
});

/** A commit of one event for each place after `prev`, the last places left free. */
const commitOf = (prev: Position, count: number, free = 0n): Committed => ({
  prev,
  head: prev + BigInt(count) + free,
  events: Array.from({ length: count }, (_, index) => eventAt(prev + BigInt(index) + 1n)),
  bytes: count,
});

/** A log whose reads are counted, followed from its start. */
const arrange = (
  table: ReadonlyArray<StoredEvent> = [],
  { head = table.at(-1)?.position ?? 0n, ...filter }: { readonly head?: Position; readonly categories?: string[] } = {},
) => {
  const feed = makeCommitFeed(systemRuntime.clock, { commits: 4, bytes: 1_000, slice: 500 });
  const leaving = new AbortController();
  const read: Array<readonly [Position, Position]> = [];
  const pages: Pages = {
    head: () => Promise.resolve(head),
    log: (after, upTo) => {
      read.push([after, upTo]);
      const events = table.filter(({ position }) => position > after && position <= upTo);
      return Promise.resolve({ events, seen: upTo });
    },
    stream: () => Promise.reject(new Error('not asked here')),
    newestRevision: () => Promise.reject(new Error('not asked here')),
    newest: () => Promise.reject(new Error('not asked here')),
    newestOfFew: () => Promise.reject(new Error('not asked here')),
    identity: () => Promise.reject(new Error('not asked here')),
  };
  const following = followLog(
    { runtime: systemRuntime, feed, pages, onConnectionEvent: () => undefined },
    { after: 'start', ...filter },
    leaving.signal,
  );
  const pull = async (): Promise<LogBatch | undefined> => {
    const next: IteratorResult<LogBatch, void> = await following.next();
    return next.done === true ? undefined : next.value;
  };
  return { feed, read, pull, leave: () => leaving.abort() };
};

const handed = ({ events, head }: Committed): LogBatch => ({ events, checkpoint: { commit: head, prepare: head } });

describe('a subscription to the event log in Postgres', () => {
  it('is handed the very events that were committed, without reading them', async () => {
    const { feed, read, pull } = arrange();
    const next = pull();
    const first = commitOf(0n, 2);
    feed.publish(first);
    const batch = await next;
    expect(batch).to.deep.equal(handed(first));
    expect(batch?.events[0]).to.equal(first.events[0]);
    const second = commitOf(2n, 1, 3n);
    const third = commitOf(6n, 2);
    feed.publish(second);
    feed.publish(third);
    expect(await pull()).to.deep.equal(handed({ ...third, events: [...second.events, ...third.events] }));
    expect(read).to.deep.equal([]);
  });

  it('reads what lies before a commit that does not follow its cursor', async () => {
    const own = commitOf(1n, 1);
    const log = [eventAt(1n), ...own.events];
    const { feed, read, pull } = arrange(log, { head: 0n });
    const next = pull();
    feed.publish(own);
    expect(await next).to.deep.equal({ events: log, checkpoint: { commit: 2n, prepare: 2n } });
    expect(read).to.deep.equal([[0n, 2n]]);
  });

  it('catches up by pages and is handed over from there on', async () => {
    const there = [eventAt(1n), eventAt(2n)];
    const { feed, read, pull } = arrange(there);
    expect(await pull()).to.deep.equal({ events: there, checkpoint: { commit: 2n, prepare: 2n } });
    const live = commitOf(2n, 1);
    feed.publish(live);
    expect(await pull()).to.deep.equal(handed(live));
    expect(read).to.deep.equal([[0n, 2n]]);
  });

  it('reads the table when it was too slow for what is in memory', async () => {
    const { feed, read, pull } = arrange();
    const next = pull();
    feed.publish(commitOf(0n, 1));
    await next;
    for (let prev = 1n; prev < 7n; prev++) feed.publish(commitOf(prev, 1));
    await pull();
    expect(read).to.deep.equal([[1n, 7n]]);
  });

  it('keeps commits within their bytes', () => {
    const { feed } = arrange();
    feed.publish({ ...commitOf(0n, 1), bytes: 600 });
    feed.publish({ ...commitOf(1n, 1), bytes: 600 });
    expect(feed.after(0n)).to.equal(undefined);
    expect(feed.after(1n)?.head).to.equal(2n);
    feed.publish({ ...commitOf(2n, 1), bytes: 2_000 });
    expect(feed.after(2n)).to.equal(undefined);
  });

  it('moves its checkpoint over commits without an event of its categories', async () => {
    const { feed, pull } = arrange([], { categories: ['document'] });
    const next = pull();
    feed.publish(commitOf(0n, 2));
    expect(await next).to.deep.equal({ events: [], checkpoint: { commit: 2n, prepare: 2n } });
    const document = eventAt(3n, 'document');
    feed.publish({ prev: 2n, head: 4n, events: [document, eventAt(4n)], bytes: 2 });
    expect(await pull()).to.deep.equal({ events: [document], checkpoint: { commit: 4n, prepare: 4n } });
  });

  it('is not woken for each commit without an event of its categories', async () => {
    const { feed, read, pull } = arrange([], { categories: ['document'] });
    const next = pull();
    let isWoken = false;
    void next.then(() => (isWoken = true));
    await new Promise((resolve) => setImmediate(resolve));
    // more commits than are kept in memory
    for (let prev = 0n; prev < 9n; prev++) {
      feed.publish(commitOf(prev, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isWoken).to.equal(false);
    const document = eventAt(10n, 'document');
    feed.publish({ prev: 9n, head: 10n, events: [document], bytes: 1 });
    expect(await next).to.deep.equal({ events: [document], checkpoint: { commit: 10n, prepare: 10n } });
    expect(read).to.deep.equal([]);
  });

  it('reads what another process has added behind commits that it has passed over', async () => {
    const document = eventAt(2n, 'document');
    const { feed, pull } = arrange([document], { head: 0n, categories: ['document'] });
    const next = pull();
    await new Promise((resolve) => setImmediate(resolve));
    feed.publish(commitOf(0n, 1));
    feed.raise(2n);
    expect(await next).to.deep.equal({ events: [document], checkpoint: { commit: 2n, prepare: 2n } });
  });

  it('listens to the end of its subscription only while it waits', async () => {
    const { feed } = arrange();
    const { signal } = new AbortController();
    const growing = feed.grown(0n, signal);
    expect(getEventListeners(signal, 'abort')).to.have.length(1);
    feed.publish(commitOf(0n, 1));
    await growing;
    await feed.grown(0n, signal);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('ends when it is aborted while it waits', async () => {
    const { pull, leave } = arrange();
    const next = pull();
    leave();
    expect(await next).to.equal(undefined);
  });
});
