import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { attempt } from '../../../src/event-sourcing/attempt.js';
import type { ConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import { asStoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { PostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { aCategory, anEvent, append, appended, aStream, collect } from '../../contract/event-store/store-under-test.js';
import { endsWithin } from '../../support/ends-within.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';
import { untilConnections } from '../../support/server-activity.js';
import { type SeverableProxy, startSeverableProxy } from '../../support/severable-proxy.js';

/** Resolves when a connection to there has been made and closed. */
const refused = async (url: string): Promise<void> => {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname).on('error', () => undefined);
  await new Promise((resolve) => socket.resume().once('close', resolve));
};

describe('the event log in Postgres over a connection that breaks', () => {
  let database: string;
  let proxy: SeverableProxy;
  let store: PostgresEventStore;

  before(async function () {
    this.timeout(startingPostgres);
    database = await freshDatabase();
    proxy = await startSeverableProxy(database);
    store = await openStore(proxy.url);
  });
  beforeEach(() => appended(store, aStream(), 'no-stream', anEvent()));
  afterEach(() => proxy.mend());
  after(async () => {
    await store.close();
    await proxy.close();
  });

  it('says nothing of readers whose server stops while it is closed', async () => {
    const events: Array<ConnectionEvent> = [];
    const admin = new pg.Client(database);
    await admin.connect();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const other = await openStore(database, { onConnectionEvent: (one) => events.push(one) });
      await Promise.all(
        Array.from({ length: 8 }, () => collect(other.readStream(aStream(), { direction: 'forwards' }))),
      );
      const ended = admin.query<{ pid: number }>(
        `select pid, pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name = 'event-log'`,
      );
      const [{ rows }] = await Promise.all([ended, other.close()]);
      await untilConnections(admin, `pid in (${[0, ...rows.map(({ pid }) => pid)].join()})`, 0);
      // their last words are read
      await nextTurn();
    }
    await admin.end();
    expect(events).to.deep.equal([]);
  });

  it('gives up what is due when it is, on a server that says nothing', async () => {
    proxy.mute();
    const due = systemRuntime.clock.monotonic() + 700;
    const calls = [
      store.append(aStream(), 'no-stream', [anEvent()], due),
      store.newestRevision(aStream(), due),
      attempt(() => collect(store.readStream(aStream(), { direction: 'forwards', until: due })), asStoreUnavailable),
    ];
    expect(await endsWithin(1_700, Promise.all(calls))).to.equal(true);
    for (const call of calls) expect(await call).to.have.nested.property('left._tag', 'StoreUnavailable');
  });

  it('gives up within three seconds on a server that is stuck, and finds out with the same ids what became of it', async () => {
    const stream = aStream();
    const event = anEvent();
    const blocker = new pg.Client({ connectionString: proxy.url });
    await blocker.connect();
    await blocker.query('begin; lock table event_log.head in access exclusive mode');
    const appending = append(store, stream, 'no-stream', event);
    expect(await endsWithin(3_000, appending)).to.equal(true);
    const outcome = await appending;
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
    await blocker.query('rollback');
    await blocker.end();
    expect(await appended(store, stream, 'no-stream', event)).to.include({ revision: 0n });
    expect(await collect(store.readStream(stream, { direction: 'forwards' }))).to.have.length(1);
  });

  it('fails a read with StoreUnavailable and reads again afterwards', async () => {
    proxy.sever();
    const failure: unknown = await collect(store.readStream(aStream(), { direction: 'forwards' })).then(
      undefined,
      (error: unknown) => error,
    );
    expect(failure).to.have.property('_tag', 'StoreUnavailable');
    const head = await store.head();
    expect(E.isLeft(head) && head.left._tag).to.equal('StoreUnavailable');
    proxy.mend();
    expect(E.isRight(await store.head())).to.equal(true);
  });

  it('fails a read by stream that was lost while its reader paused, and nothing else', async () => {
    const category = aCategory();
    const texts = JSON.stringify({ text: 'x'.repeat(500_000) });
    for (let count = 0; count < 20; count += 1)
      await appended(store, aStream(category), 'no-stream', anEvent({ data: texts }));
    const pages = store.byStream!.read({ category, from: null, before: null }, 2n ** 62n)[Symbol.asyncIterator]();
    expect((await pages.next()).done).to.equal(false);
    proxy.sever();
    // the driver hears of the loss while nobody reads, before a connection that is made behind it is refused
    await refused(proxy.url);
    proxy.mend();
    const failure: unknown = await (async () => {
      while ((await pages.next()).done !== true);
    })().catch((error: unknown) => error);
    expect(failure).to.have.property('_tag', 'StoreUnavailable');
    expect(E.isRight(await store.head())).to.equal(true);
  });
});
