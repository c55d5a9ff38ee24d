import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import {
  makePostgresEventStore,
  type PostgresEventStore,
} from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { eventLogSchema } from '../../../src/infrastructure/postgres/event-log/schema.js';
import { anEvent, appended, aStream, batchesOf, eventsOf } from '../../contract/event-store/store-under-test.js';
import { makePool } from '../../../src/postgres/pool.js';
import { migrate } from '../../../src/postgres/migrate.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { LIFT_GUARD_OF_EVENTS, LIFT_GUARD_OF_HEAD } from '../../support/tamper.js';
import { openStore } from '../../support/postgres-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('the table of the event log in Postgres', function () {
  this.timeout(startingPostgres);
  let connectionString: string;
  let client: pg.Client;
  let stores: Array<PostgresEventStore>;

  beforeEach(async () => {
    connectionString = await freshDatabase();
    client = new pg.Client({ connectionString });
    await client.connect();
    stores = [];
  });
  afterEach(async () => {
    await client.end();
    await Promise.all(stores.map(({ close }) => close()));
  });

  const open = async (): Promise<PostgresEventStore> => {
    const store = await openStore(connectionString);
    stores.push(store);
    return store;
  };

  const CHANGES = {
    UPDATE: `update event_log.event set data = '{}'`,
    DELETE: 'delete from event_log.event where revision > 100',
    TRUNCATE: 'truncate event_log.event',
  };

  const errorOf = async (statement: string): Promise<pg.DatabaseError | undefined> => {
    try {
      await client.query(statement);
      return undefined;
    } catch (error) {
      if (error instanceof pg.DatabaseError) return error;
      throw error;
    }
  };

  /** What becomes of each change. */
  const refusals = async (): Promise<ReadonlyArray<unknown>> => {
    const said: Array<string | undefined> = [];
    for (const change of Object.values(CHANGES)) said.push((await errorOf(change))?.message);
    return said;
  };

  const REFUSED = Object.keys(CHANGES).map(
    (kind) => `${kind} of event_log.event is refused: what is in the log is never changed or removed`,
  );

  it('lets nobody change or remove what is in it, not even its owner, and takes what is added', async () => {
    const store = await open();
    await appended(store, aStream(), 'no-stream', anEvent());
    const before = eventsOf(await batchesOf(store.readAll({ after: 'start' })));
    expect(await refusals()).to.deep.equal(REFUSED);
    expect(eventsOf(await batchesOf(store.readAll({ after: 'start' })))).to.deep.equal(before);
    await appended(store, aStream(), 'no-stream', anEvent());
  });

  it('is guarded also from a session that is set to be that of a replica', async () => {
    await appended(await open(), aStream(), 'no-stream', anEvent());
    await client.query("set session_replication_role = 'replica'");
    expect(await refusals()).to.deep.equal(REFUSED);
    for (const change of [
      'update event_log.head set position = 9223372036854775807',
      'delete from event_log.head',
      `insert into event_log.event (position, stream, revision, id, type, data, metadata)
         values (9223372036854775807, 'business-taken', 0, gen_random_uuid(), 'Taken', '{}', '{}')`,
    ])
      expect((await errorOf(change))?.message, change).to.match(/is refused/);
  });

  it('says what its owner can do', async () => {
    await open();
    const [, lift = ''] = /"(.+)"/.exec((await errorOf(CHANGES.DELETE))?.hint ?? '') ?? [];
    expect(lift).to.equal(LIFT_GUARD_OF_EVENTS);
    expect([await errorOf(lift), await errorOf(CHANGES.DELETE)]).to.deep.equal([undefined, undefined]);
  });

  it('goes on where it was: its head only grows, and never to its limit', async () => {
    const store = await open();
    await appended(store, aStream(), 'no-stream', anEvent());
    for (const change of [
      'update event_log.head set position = position - 1',
      'update event_log.head set position = 0',
      'update event_log.head set position = -9223372036854775808',
      'update event_log.head set position = 9223372036854775807',
      'update event_log.head set position = position + 1000001',
      'update event_log.head set position = null',
      'delete from event_log.head',
      'truncate event_log.head',
    ]) {
      const { message, hint } = (await errorOf(change)) ?? {};
      expect(message, change).to.include('of event_log.head is refused');
      expect(hint).to.include(LIFT_GUARD_OF_HEAD);
    }
    await appended(store, aStream(), 'no-stream', anEvent());
    expect(eventsOf(await batchesOf(store.readAll({ after: 'start' })))).to.have.length(2);
  });

  it('goes on where it was: no event takes a position that the next append would get', async () => {
    const store = await open();
    await appended(store, aStream(), 'no-stream', anEvent());
    for (const position of ['(select position + 1 from event_log.head)', '9223372036854775807']) {
      // the search path is the caller's
      const insert = `
        create schema if not exists mine;
        create or replace function mine.never(bigint, bigint) returns boolean language sql as 'select false';
        drop operator if exists mine.> (bigint, bigint);
        create operator mine.> (leftarg = bigint, rightarg = bigint, function = mine.never);
        set search_path = mine, pg_catalog;
        insert into event_log.event (position, stream, revision, id, type, data, metadata)
          values (${position}, 'business-taken', 0, gen_random_uuid(), 'Taken', '{}', '{}')`;
      expect((await errorOf(insert))?.message).to.include('beyond event_log.head');
    }
    await appended(store, aStream(), 'no-stream', anEvent());
    expect(eventsOf(await batchesOf(store.readAll({ after: 'start' })))).to.have.length(2);
  });

  it('is left alone by a program older than the one that has changed it, which says how to go on', async () => {
    await open();
    await client.query('update event_log.log set version = 99');
    const opened = await makePostgresEventStore({ runtime: systemRuntime, connectionString });
    expect(E.isLeft(opened) && String(opened.left.cause)).to.equal(
      `Error: event_log.log has schema version 99, this program knows up to ${eventLogSchema.steps.length}: ` +
        'a newer version of it has changed the tables. Start that version; the way back is `ops restore` of a backup ' +
        'from before the upgrade, into a new installation (docs/production.md, Upgrade)',
    );
  });

  it('is guarded also where an older program made it, which goes on beside', async () => {
    const pool = makePool({ connectionString, name: 'test', connections: 1, connectMs: 30_000 });
    await migrate(pool, { ...eventLogSchema, steps: eventLogSchema.steps.slice(0, 1) });
    await pool.end();
    expect(await refusals()).to.deep.equal([undefined, undefined, undefined]);
    const store = await open();
    expect(await refusals()).to.deep.equal(REFUSED);
    // an older program appends as this one does
    await appended(store, aStream(), 'no-stream', anEvent());
  });
});
