import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { NewEvent, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import {
  anEvent,
  append,
  appended,
  aStream,
  collect,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore, patient, quick } from '../../support/eventstoredb-double/open-store.js';
import { makeHeard } from '../../support/news.js';
import { withStore } from './double-and-store.js';

// What `@eventstore/db-client` 6.2.1 does in these situations, each seen on a real server: a promise that never
// settles, or an error that nobody can catch and that ends the process.

describe('nothing escapes from the EventStoreDB adapter', () => {
  const escaped: Array<unknown> = [];
  const note = (error: unknown): void => void escaped.push(error);
  beforeEach(() => {
    escaped.length = 0;
    process.on('unhandledRejection', note);
    process.on('uncaughtExceptionMonitor', note);
  });
  afterEach(async () => {
    // Node reports an unhandled rejection only after the current turn of the event loop
    await nextTurn();
    process.removeListener('unhandledRejection', note);
    process.removeListener('uncaughtExceptionMonitor', note);
    expect(escaped).to.deep.equal([]);
  });

  const isUnavailable = (outcome: E.Either<{ readonly _tag: string }, unknown>): boolean =>
    E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable';

  it(
    '1: an append to a server that never responds settles',
    withStore(
      async ({ store, double }) => {
        double.node.faults.appends.push(...Array.from({ length: 50 }, () => 'no-response' as const));
        expect(isUnavailable(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
      },
      {
        timings: {
          timeout: 300,
          minimumTimeout: 50,
          idleTimeout: 100,
          gossipTimeout: 100,
          backoff: { first: 20, longest: 40 },
        },
      },
    ),
  );

  it(
    '2: a subscription that the server ends with status OK goes on',
    withStore(async ({ store, double, connectionEvents }) => {
      await appended(store, aStream(), 'no-stream', anEvent());
      const leaving = new AbortController();
      const seen = makeHeard<StoredEvent>();
      const following = (async () => {
        for await (const { events } of store.subscribe({ after: 'start' }, leaving.signal)) events.forEach(seen.hear);
      })();
      await seen.until(({ length }) => length === 1);
      double.node.endReads();
      await appended(store, aStream(), 'no-stream', anEvent());
      await seen.until(({ length }) => length === 2);
      expect(connectionEvents.map(({ kind }) => kind)).to.include('resubscribed');
      leaving.abort();
      await following;
      expect(seen.all).to.have.length(2);
    }),
  );

  it(
    '3: a failure of one store does not reach another',
    withStore(async ({ store, double }) => {
      const other = await startDouble();
      const beside = openStore(other.connectionString, { timings: { ...patient, timeout: 3_000 } });
      await appended(beside.store, aStream(), 'no-stream', anEvent());
      let respond = (): void => undefined;
      double.node.faults.appends.push({ until: new Promise<void>((resolve) => (respond = resolve)) });
      const pending = append(store, aStream(), 'no-stream', anEvent());
      other.close();
      expect(isUnavailable(await append(beside.store, aStream(), 'no-stream', anEvent()))).to.equal(true);
      respond();
      expect(E.isRight(await pending)).to.equal(true);
      await beside.store.close();
      expect(double.node.state.calls.filter(({ rpc }) => rpc === 'append')).to.have.length(1);
    }),
  );

  it('4: a conflict is reported even with throwOnAppendFailure=false', async () => {
    const double = await startDouble();
    const { store } = openStore(`${double.connectionString}&throwOnAppendFailure=false`);
    const stream = aStream();
    await appended(store, stream, 'no-stream', ...someEvents(5));
    expect(await append(store, stream, 0n, anEvent())).to.deep.equal(
      E.left({ _tag: 'RevisionConflict', expected: 0n, actual: 4n }),
    );
    await store.close();
    double.close();
  });

  it(
    '5: data that is not text fails its own append only',
    withStore(async ({ store }) => {
      const broken = { ...anEvent(), data: undefined } as unknown as NewEvent; // reason: what a caller without types sends
      expect(isUnavailable(await append(store, aStream(), 'no-stream', broken))).to.equal(true);
      expect(E.isRight(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
    }),
  );

  it(
    '6: a response that comes after the store was closed does no harm',
    withStore(
      async ({ store, double }) => {
        let respond = (): void => undefined;
        double.node.faults.appends.push({ until: new Promise<void>((resolve) => (respond = resolve)) });
        const pending = append(store, aStream(), 'no-stream', anEvent());
        await double.node.state.news.until(() => double.node.state.appending.size === 1);
        await store.close();
        expect(isUnavailable(await pending)).to.equal(true);
        expect(double.log.records).to.have.length(1);
        const stored = new Promise<void>((resolve) => double.log.onGrowth.add(resolve));
        respond();
        await stored;
        expect(double.log.records).to.have.length(2);
      },
      { timings: quick },
    ),
  );

  it(
    '7: subscriptions, reads and appends end or go on when every node of a cluster dies',
    withStore(
      async ({ store, double, reported }) => {
        const stream = aStream();
        await appended(store, stream, 'no-stream', anEvent());
        const leaving = new AbortController();
        const following = Promise.all(
          Array.from({ length: 4 }, async () => {
            for await (const batch of store.subscribe({ after: 'start' }, leaving.signal))
              expect(batch.events.length).to.be.lessThan(3);
          }),
        );
        const working = Array.from({ length: 8 }, () => append(store, aStream('foreign'), 'no-stream', anEvent()));
        double.close();
        await Promise.all(working);
        const read = collect(store.readStream(stream, { direction: 'forwards' }));
        expect(await read.then(undefined, (error: unknown) => (error as Error).name)).to.equal('StoreUnavailable');
        await reported('unreachable');
        leaving.abort();
        await following;
      },
      { nodes: 3, timings: { ...patient, timeout: 3_000 } },
    ),
  );

  it(
    '8: a reader that stops early ends its call',
    withStore(async ({ store, double }) => {
      await appended(store, aStream(), 'no-stream', ...someEvents(300));
      for (let count = 0; count < 10; count++)
        for await (const { events } of store.readAll({ after: 'start' })) if (events.length > 0) break;
      await double.node.state.news.until(() => double.node.state.openReads.size === 0);
    }),
  );

  it(
    '9: a read without a response settles, also when nobody awaits it',
    withStore(
      async ({ store, double }) => {
        const stream = aStream();
        await appended(store, stream, 'no-stream', anEvent());
        double.node.faults.isSilent = true;
        const unseen = store.readStream(stream, { direction: 'forwards' })[Symbol.asyncIterator]().next();
        const failure = await unseen.then(undefined, (error: unknown) => (error as Error).name);
        expect(failure).to.equal('StoreUnavailable');
        void store.head();
        void store.identity();
      },
      { timings: { ...quick, timeout: 3_000 } },
    ),
  );
});
