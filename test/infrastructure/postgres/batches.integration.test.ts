import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import type { ConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import type { PostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import {
  anEvent,
  append,
  appended,
  aStream,
  collect,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';

// longer than an entry of an index may be, and not to be compressed
const anUnstorableStream = (): `${string}-${string}` => `business-${randomBytes(6_000).toString('base64url')}`;

describe('batches of appends in Postgres', () => {
  let connectionString: string;
  let store: PostgresEventStore;
  const connectionEvents: Array<ConnectionEvent> = [];

  before(async function () {
    this.timeout(startingPostgres);
    connectionString = await freshDatabase();
    store = await openStore(connectionString, {
      readers: 1,
      onConnectionEvent: (event) => connectionEvents.push(event),
    });
  });
  after(() => store.close());

  it('commit together what arrives together', async () => {
    const before = await appended(store, aStream(), 'no-stream', anEvent());
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => appended(store, aStream(), 'no-stream', ...someEvents(2))),
    );
    const positions = answers.map(({ position }) => position - before.position);
    expect(positions).to.deep.equal(Array.from({ length: 100 }, (_, index) => BigInt(2 * index + 2)));
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query('select count(distinct xmin::text)::integer as commits from event_log.event');
    await client.end();
    expect(rows).to.deep.equal([{ commits: 2 }]);
  });

  it('keep a conflict to the append that has it', async () => {
    const taken = aStream();
    await appended(store, taken, 'no-stream', anEvent());
    const outcomes = await Promise.all([
      append(store, aStream(), 'no-stream', anEvent()),
      append(store, taken, 'no-stream', ...someEvents(2)),
      append(store, taken, 7n, anEvent()),
      append(store, aStream(), 'no-stream', ...someEvents(2)),
    ]);
    expect(outcomes.map((outcome) => (E.isRight(outcome) ? outcome.right.revision : outcome.left))).to.deep.equal([
      0n,
      { _tag: 'RevisionConflict', expected: 'no-stream', actual: 0n },
      { _tag: 'RevisionConflict', expected: 7n, actual: 0n },
      1n,
    ]);
  });

  it('reject only the append that has a value which the database rejects', async () => {
    const [before, after] = [aStream(), aStream()];
    const outcomes = await Promise.all([
      append(store, before, 'no-stream', anEvent()),
      append(store, anUnstorableStream(), 'no-stream', anEvent()),
      append(store, after, 'no-stream', anEvent()),
    ]);
    expect(outcomes.map((outcome) => (E.isRight(outcome) ? outcome.right.revision : outcome.left._tag))).to.deep.equal([
      0n,
      'AppendRejected',
      0n,
    ]);
    expect(connectionEvents.map(({ kind }) => kind)).to.deep.equal(['batch-split']);
    const alone = await append(store, anUnstorableStream(), 'no-stream', anEvent());
    expect(E.isLeft(alone) && alone.left._tag).to.equal('AppendRejected');
    expect(await collect(store.readStream(after, { direction: 'forwards' }))).to.have.length(1);
  });

  it('order appends to one stream that arrive together', async () => {
    const stream = aStream();
    const outcomes = await Promise.all([
      append(store, stream, 'no-stream', anEvent()),
      append(store, stream, 0n, anEvent()),
      append(store, stream, 1n, anEvent()),
    ]);
    expect(outcomes.map((outcome) => E.isRight(outcome) && outcome.right.revision)).to.deep.equal([0n, 1n, 2n]);
  });

  it('read a stream of large events page by page, within the bytes of a page', async () => {
    const stream = aStream();
    const large = () => anEvent({ data: `"${'x'.repeat(1_000_000)}"` });
    await appended(store, stream, 'no-stream', large());
    for (let revision = 0n; revision < 9n; revision++) await appended(store, stream, revision, large());
    const sizes: Array<number> = [];
    for await (const page of store.readStream(stream, { direction: 'backwards' })) sizes.push(page.length);
    expect(sizes).to.deep.equal([2, 2, 2, 2, 2]);
  });
});
