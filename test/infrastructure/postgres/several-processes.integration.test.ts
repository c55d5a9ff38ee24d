import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { PostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import {
  anEvent,
  append,
  appended,
  aStream,
  batchesOf,
  batchesUntil,
  collect,
  eventsOf,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import { untilConnections } from '../../support/server-activity.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';

const WRITERS = 16;
const EACH = 25;

describe('the event log in Postgres shared by several processes', () => {
  let connectionString: string;
  let one: PostgresEventStore;
  let two: PostgresEventStore;

  beforeEach(async function () {
    this.timeout(startingPostgres);
    connectionString = await freshDatabase();
    [one, two] = await Promise.all([openStore(connectionString), openStore(connectionString)]);
  });
  afterEach(() => Promise.all([one.close(), two.close()]));

  it('is made once by processes that start together, and keeps its identity', async () => {
    const again = await openStore(connectionString);
    const identities = await Promise.all([one, two, again].map((store) => store.identity()));
    await again.close();
    expect(identities.every(E.isRight)).to.equal(true);
    expect(identities).to.deep.equal([identities[0], identities[0], identities[0]]);
  });

  it('never shows a position of the log before all positions below it', async () => {
    const late = aStream();
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query('begin');
    await client.query('update event_log.head set position = position + 1');
    await client.query(
      `insert into event_log.event select position, $1, 0, gen_random_uuid(), 'Late', '{}', '{}' from event_log.head`,
      [late],
    );
    const leaving = new AbortController();
    const following = batchesUntil(two.subscribe({ after: 'start' }, leaving.signal), ({ length }) => length === 2);
    const next = aStream();
    const event = anEvent();
    const appending = append(one, next, 'no-stream', event);
    expect(await untilConnections(client, `wait_event_type = 'Lock'`)).to.equal(1);
    expect(eventsOf(await batchesOf(two.readAll({ after: 'start' })))).to.deep.equal([]);
    await client.query('commit');
    await client.end();
    // one that a busy machine has let wait too long was given up; the same one again is stored once
    if (E.isLeft(await appending)) await appended(one, next, 'no-stream', event);
    expect(eventsOf(await following).map(({ stream }) => stream)).to.deep.equal([late, next]);
    leaving.abort();
  });

  it('lets exactly one process win each revision of a stream that both append to', async () => {
    const stream = aStream();
    const write = async (store: PostgresEventStore): Promise<number> => {
      let won = 0;
      for (let place = 0n; place < 100n; place++) {
        const outcome = await append(store, stream, place === 0n ? 'no-stream' : place - 1n, ...someEvents(1));
        if (E.isRight(outcome)) won += 1;
        else expect(outcome.left._tag).to.equal('RevisionConflict');
      }
      return won;
    };
    const [first, second] = await Promise.all([write(one), write(two)]);
    expect(first + second).to.equal(100);
    const events = await collect(one.readStream(stream, { direction: 'forwards' }));
    expect(events.map(({ revision }) => revision)).to.deep.equal(
      Array.from({ length: 100 }, (_, index) => BigInt(index)),
    );
  });

  it('stores an append of several events whole or not at all, whoever comes between', async () => {
    const stream = aStream();
    await appended(one, stream, 'no-stream', anEvent());
    let head = 0n;
    for (let round = 0; round < 50; round++) {
      const outcomes = await Promise.all([
        append(one, stream, head, ...someEvents(1)),
        append(two, stream, head, ...someEvents(3)),
      ]);
      const winner = outcomes.find(E.isRight);
      expect(outcomes.filter(E.isRight)).to.have.length(1);
      head = winner!.right.revision;
    }
    const events = await collect(one.readStream(stream, { direction: 'forwards' }));
    expect(events.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => BigInt(index)));
    expect(events.at(-1)!.revision).to.equal(head);
  });

  it('gives every subscriber of every process the same whole log while both append', async () => {
    const total = 2 * WRITERS * EACH;
    const leaving = new AbortController();
    const follow = async (store: PostgresEventStore): Promise<ReadonlyArray<StoredEvent>> =>
      eventsOf(
        await batchesUntil(store.subscribe({ after: 'start' }, leaving.signal), ({ length }) => length >= total),
      );
    const followers = [follow(one), follow(two), follow(one)];
    const write = async (store: PostgresEventStore): Promise<void> => {
      for (let count = 0; count < EACH; count++) await appended(store, aStream(), 'no-stream', anEvent());
    };
    await Promise.all([one, two].flatMap((store) => Array.from({ length: WRITERS }, () => write(store))));
    const log = eventsOf(await batchesOf(one.readAll({ after: 'start' })));
    expect(log).to.have.length(total);
    for (const follower of followers) expect(await follower).to.deep.equal(log);
    leaving.abort();
  });

  it('does not open a log that a newer program has changed', async () => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query('update event_log.log set version = 99');
    await client.end();
    const failure: unknown = await openStore(connectionString).then(undefined, (error: unknown) => error);
    expect(failure).to.have.property('_tag', 'StoreUnavailable');
  });
});
