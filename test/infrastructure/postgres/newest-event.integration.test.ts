import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import type { PostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';

describe('the newest event of a category in a long log in Postgres', function () {
  this.timeout(startingPostgres);

  let client: pg.Client;
  let store: PostgresEventStore;

  beforeEach(async () => {
    const connectionString = await freshDatabase();
    store = await openStore(connectionString);
    client = new pg.Client({ connectionString });
    await client.connect();
  });

  afterEach(async () => {
    await store.close();
    await client.end();
  });

  /** Adds events at the end of the log, `each` of them in one stream after the other. */
  const add = async (category: string, events: number, each: number): Promise<void> => {
    await client.query('update event_log.head set position = position + $1', [events]);
    const insert = `insert into event_log.event (position, stream, revision, id, type, data, metadata)
      select head.position - $2 + n, $1 || '-' || ((n - 1) / $3)::text, (n - 1) % $3, gen_random_uuid(), 'T', '{}', '{}'
      from event_log.head, generate_series(1, $2::integer) n`;
    await client.query(insert, [category, events, each]);
  };

  it('is found among few streams and many, and where there is none', async () => {
    await add('few', 30, 10);
    await add('many', 1_500, 1);
    // names that begin or end like those that are looked for
    await add('fewer', 10, 10);
    await add('a', 10, 10);
    await add('other', 12_000, 500);
    expect(await store.head(['few'])).to.deep.equal(E.right(30n));
    expect(await store.head(['many'])).to.deep.equal(E.right(1_530n));
    expect(await store.head(['few', 'fewer'])).to.deep.equal(E.right(1_540n));
    expect(await store.head(['many', 'few'])).to.deep.equal(E.right(1_530n));
    expect(await store.head(['none'])).to.deep.equal(E.right(undefined));
    expect(await store.head(['fe', 'none'])).to.deep.equal(E.right(undefined));
    expect(await store.head()).to.deep.equal(E.right(13_550n));
    await add('none', 1, 1);
    expect(await store.head(['none'])).to.deep.equal(E.right(13_551n));
  });
});
