import { expect } from 'chai';
import pg from 'pg';
import { makeCommitFeed } from '../../../src/infrastructure/postgres/event-log/commit-feed.js';
import { watchHead } from '../../../src/infrastructure/postgres/event-log/head-watch.js';
import type { Pages } from '../../../src/infrastructure/postgres/event-log/read/pages.js';
import { anEvent, appended, aStream } from '../../contract/event-store/store-under-test.js';
import { untilConnections } from '../../support/server-activity.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const unasked = (): Promise<never> => Promise.reject(new Error('not asked here'));

describe('the watch over the head of the log', () => {
  let connectionString: string;
  let leaving: AbortController;
  let watching: Promise<void>;

  before(async function () {
    this.timeout(startingPostgres);
    connectionString = await freshDatabase();
  });
  beforeEach(() => {
    leaving = new AbortController();
  });
  afterEach(async () => {
    leaving.abort();
    await watching;
  });

  /** Watches as the process `me`; what a look at the head finds is `polled`. */
  const watch = (polled: () => bigint) => {
    const feed = makeCommitFeed(systemRuntime.clock);
    const pages: Pages = {
      head: () => Promise.resolve(polled()),
      log: unasked,
      stream: unasked,
      newestRevision: unasked,
      newest: unasked,
      newestOfFew: unasked,
      identity: unasked,
    };
    const deps = {
      runtime: systemRuntime,
      config: { connectionString },
      feed,
      pages,
      process: 'me',
      onConnectionEvent: () => undefined,
    };
    watching = watchHead(deps, leaving.signal);
    return feed;
  };

  it('hears what other processes append, and not what this one has said itself', async () => {
    const feed = watch(() => 0n);
    const client = new pg.Client({ connectionString });
    await client.connect();
    // it listens
    await untilConnections(client, `query like 'listen %'`);
    await client.query(`notify event_log_head, 'me 1000'`);
    await client.query(`notify event_log_head, 'nonsense'`);
    await client.end();
    const other = await openStore(connectionString);
    const { position } = await appended(other, aStream(), 'no-stream', anEvent());
    await other.close();
    await feed.grown(0n, leaving.signal);
    expect(feed.head()).to.equal(position);
  });

  it('polls the head, in case a notification was lost', async () => {
    let head = 0n;
    const feed = watch(() => head);
    await Promise.resolve();
    head = 7n;
    await feed.grown(0n, leaving.signal);
    expect(feed.head()).to.equal(7n);
  });
});
