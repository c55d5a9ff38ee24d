import { expect } from 'chai';
import pg from 'pg';
import type { PostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { anEvent, appended, aStream, batchesUntil, eventsOf } from '../../contract/event-store/store-under-test.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';
import { LIFT_GUARD } from '../../support/tamper.js';

describe('an event log in Postgres that is restored under a running process', () => {
  let connectionString: string;
  let store: PostgresEventStore;

  beforeEach(async function () {
    this.timeout(startingPostgres);
    connectionString = await freshDatabase();
    store = await openStore(connectionString);
  });
  afterEach(() => store.close());

  /** Follows the log from `commit` on until `count` events have come. */
  const followed = async (commit: bigint, count: number): Promise<ReadonlyArray<string>> => {
    const leaving = new AbortController();
    const after = { commit, prepare: commit };
    const batches = await batchesUntil(store.subscribe({ after }, leaving.signal), ({ length }) => length === count);
    leaving.abort();
    return eventsOf(batches).map(({ stream }) => stream);
  };

  it('gives new subscriptions what follows in the restored log, and nothing that it lacks', async () => {
    const [kept, lost, added] = [aStream(), aStream(), aStream()];
    await appended(store, kept, 'no-stream', anEvent());
    await appended(store, lost, 'no-stream', anEvent());
    // from here on this process hears of commits, and keeps them in memory
    expect(await followed(0n, 2)).to.deep.equal([kept, lost]);
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(LIFT_GUARD);
    await client.query('delete from event_log.event where position > 1');
    await client.query('update event_log.head set position = 1');
    await client.end();
    const following = followed(1n, 1);
    await appended(store, added, 'no-stream', anEvent());
    expect(await following).to.deep.equal([added]);
  });
});
