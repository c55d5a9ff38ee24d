import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import {
  anEvent,
  append,
  appended,
  aStream,
  collect,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore } from '../../support/eventstoredb-double/open-store.js';
import { atRest, eventually } from '../../support/eventually.js';
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
    // what is unhandled is known as such only when the current turn is over
    await atRest(() => escaped.length);
    process.removeListener('unhandledRejection', note);
    process.removeListener('uncaughtExceptionMonitor', note);
    expect(escaped).to.deep.equal([]);
  });

  const isUnavailable = (outcome: E.Either<{ readonly _tag: string }, unknown>): boolean =>
    E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable';

  it(
    '1: an append to a server that never answers settles',
    withStore(
      async ({ store, double }) => {
        double.node.faults.appends.push(...Array.from({ length: 50 }, () => 'no-answer' as const));
        expect(isUnavailable(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
      },
      { timings: { silence: 100, grace: 50, pause: 10, longestPause: 20, gossip: 100, patience: 300 } },
    ),
  );

  it(
    '2: a subscription that the server ends politely is taken up again',
    withStore(async ({ store, double, incidents }) => {
      await appended(store, aStream(), 'no-stream', anEvent());
      const leaving = new AbortController();
      let seen = 0;
      const following = (async () => {
        for await (const { events } of store.subscribe({ after: 'start' }, leaving.signal)) seen += events.length;
      })();
      await eventually(
        () => seen,
        (count) => count === 1,
      );
      double.node.endReads();
      await appended(store, aStream(), 'no-stream', anEvent());
      await eventually(
        () => seen,
        (count) => count === 2,
      );
      expect(incidents.map(({ kind }) => kind)).to.include('resubscribed');
      leaving.abort();
      await following;
      expect(seen).to.equal(2);
    }),
  );

  it(
    '3: the failures of one store are not those of another',
    withStore(async ({ store, double }) => {
      const other = await startDouble();
      const beside = openStore(other.connectionString);
      await appended(beside.store, aStream(), 'no-stream', anEvent());
      double.node.faults.appends.push({ slow: 200 });
      const pending = append(store, aStream(), 'no-stream', anEvent());
      other.close();
      expect(isUnavailable(await append(beside.store, aStream(), 'no-stream', anEvent()))).to.equal(true);
      expect(E.isRight(await pending)).to.equal(true);
      await beside.store.close();
      expect(double.node.state.calls.filter(({ rpc }) => rpc === 'append')).to.have.length(1);
    }),
  );

  it('4: a conflict is one, whatever the connection string says about throwing', async () => {
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
    '5: what is no text fails its own append',
    withStore(async ({ store }) => {
      const broken = { ...anEvent(), data: undefined } as unknown as NewEvent; // reason: what a caller without types sends
      expect(isUnavailable(await append(store, aStream(), 'no-stream', broken))).to.equal(true);
      expect(E.isRight(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
    }),
  );

  it(
    '6: an answer that comes after everybody has gone is lost quietly',
    withStore(async ({ store, double }) => {
      double.node.faults.appends.push({ slow: 1_500 });
      const pending = append(store, aStream(), 'no-stream', anEvent());
      await eventually(
        () => double.node.state.appending.size,
        (size) => size === 1,
      );
      await store.close();
      expect(isUnavailable(await pending)).to.equal(true);
      expect(double.log.records).to.have.length(1);
      await eventually(
        () => double.log.records.length,
        (length) => length === 2,
      );
    }),
  );

  it(
    '7: subscriptions, reads and appends outlive a cluster of which every node dies',
    withStore(
      async ({ store, double, incidents }) => {
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
        await eventually(
          () => incidents.filter(({ kind }) => kind === 'unreachable').length,
          (count) => count === 1,
        );
        leaving.abort();
        await following;
      },
      { nodes: 3 },
    ),
  );

  it(
    '8: a reader that stops early takes its call with it',
    withStore(async ({ store, double }) => {
      await appended(store, aStream(), 'no-stream', ...someEvents(300));
      for (let count = 0; count < 10; count++)
        for await (const { events } of store.readAll({ after: 'start' })) if (events.length > 0) break;
      const open = await eventually(
        () => double.node.state.openReads.size,
        (size) => size === 0,
      );
      expect(open).to.equal(0);
    }),
  );

  it(
    '9: a read that never gets an answer settles, also when nobody looks at it',
    withStore(async ({ store, double }) => {
      const stream = aStream();
      await appended(store, stream, 'no-stream', anEvent());
      double.node.faults.isSilent = true;
      const unseen = store.readStream(stream, { direction: 'forwards' })[Symbol.asyncIterator]().next();
      const failure = await unseen.then(undefined, (error: unknown) => (error as Error).name);
      expect(failure).to.equal('StoreUnavailable');
      void store.head()();
      void store.identity()();
    }),
  );
});
