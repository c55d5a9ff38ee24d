import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { ConnectionEvent } from '../../src/event-sourcing/connection-event.js';
import type { PostgresEventStore } from '../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { anEvent, append, appended, aStream, collect, someEvents } from '../contract/event-store/store-under-test.js';
import { endsWithin } from '../support/ends-within.js';
import { type Heard, makeHeard } from '../support/news.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { openStore } from '../support/postgres-event-store.js';
import { type SeverableProxy, startSeverableProxy } from '../support/severable-proxy.js';

describe('the event log in Postgres over a connection that is severed or silent', () => {
  let database: string;
  let proxy: SeverableProxy;
  let store: PostgresEventStore;
  let connectionEvents: Heard<ConnectionEvent>;

  before(async function () {
    this.timeout(startingPostgres);
    database = await freshDatabase();
    proxy = await startSeverableProxy(database);
    store = await openStore(proxy.url, { onConnectionEvent: (event) => connectionEvents.hear(event) });
  });
  beforeEach(async () => {
    connectionEvents = makeHeard();
    await appended(store, aStream(), 'no-stream', anEvent());
  });
  afterEach(() => proxy.mend());
  after(async () => {
    await store.close();
    await proxy.close();
  });

  it('stores an append whose acknowledgement was lost once, and answers it', async () => {
    const stream = aStream();
    proxy.loseNextAnswer();
    const { revision, position, confirmedNew } = await appended(store, stream, 'no-stream', ...someEvents(2));
    const events = await collect(store.readStream(stream, { direction: 'forwards' }));
    expect(events).to.have.length(2);
    expect({ revision, position, confirmedNew }).to.deep.equal({
      revision: 1n,
      position: events[1]!.position,
      confirmedNew: false,
    });
    expect(connectionEvents.all.map(({ kind }) => kind)).to.deep.equal(['connection-lost']);
  });

  it('stores a batch whose acknowledgement was lost once, and answers each of its appends', async () => {
    const streams = Array.from({ length: 40 }, () => aStream());
    proxy.loseNextAnswer();
    const answers = await Promise.all(streams.map((stream) => appended(store, stream, 'no-stream', anEvent())));
    for (const [index, stream] of streams.entries()) {
      const events = await collect(store.readStream(stream, { direction: 'forwards' }));
      expect(events.map(({ position }) => position)).to.deep.equal([answers[index]!.position]);
    }
  });

  it('waits for a server that is away for a moment', async () => {
    const stream = aStream();
    proxy.sever();
    const answer = append(store, stream, 'no-stream', anEvent());
    await connectionEvents.until(({ length }) => length > 0);
    proxy.mend();
    expect(E.isRight(await answer)).to.equal(true);
    expect(await collect(store.readStream(stream, { direction: 'forwards' }))).to.have.length(1);
  });

  for (const [what, leave] of [
    ['stays away', () => proxy.sever()],
    ['takes connections and says nothing', () => proxy.mute()],
  ] as const)
    it(`gives up on a server that ${what}, for all that wait within one budget, and works again afterwards`, async () => {
      leave();
      const appending = Promise.all(
        Array.from({ length: 1_000 }, () => append(store, aStream(), 'no-stream', anEvent())),
      );
      // eight batches that wait one after the other take twice as long
      expect(await endsWithin(6_000, appending)).to.equal(true);
      const tags = (await appending).map((answer) => (E.isLeft(answer) ? answer.left._tag : answer._tag));
      expect(new Set(tags)).to.deep.equal(new Set(['StoreUnavailable']));
      proxy.mend();
      expect(E.isRight(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
    });

  it('gives up a connection that is silent without being closed, and goes on over a new one', async () => {
    const way = await startSeverableProxy(database);
    const other = await openStore(way.url);
    try {
      await appended(other, aStream(), 'no-stream', anEvent());
      way.freeze();
      // its time is up at the same moment as that of the connection, so it may be stored yet
      await append(other, aStream(), 'no-stream', anEvent());
      expect(E.isRight(await append(other, aStream(), 'no-stream', anEvent()))).to.equal(true);
    } finally {
      await way.close();
      await other.close();
    }
  });

  it('heals a subscription, which then leaves out and repeats nothing', async () => {
    const stream = aStream();
    const leaving = new AbortController();
    const seen = makeHeard<StoredEvent>();
    const following = (async () => {
      for await (const { events } of store.subscribe({ after: 'start' }, leaving.signal))
        events.filter((event) => event.stream === stream).forEach(seen.hear);
    })();
    await appended(store, stream, 'no-stream', anEvent());
    for (let revision = 0n; revision < 3n; revision++) {
      proxy.sever();
      proxy.mend();
      await appended(store, stream, revision, anEvent());
    }
    await seen.until(({ length }) => length === 4);
    leaving.abort();
    await following;
    expect(seen.all).to.deep.equal(await collect(store.readStream(stream, { direction: 'forwards' })));
  });
});
