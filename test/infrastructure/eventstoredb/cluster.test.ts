import { expect } from 'chai';
import { either as E } from 'fp-ts';
import {
  anEvent,
  append,
  appended,
  aStream,
  batchesUntil,
  collect,
  eventsOf,
} from '../../contract/event-store/store-under-test.js';
import { makeHeard } from '../../support/news.js';
import { openStore, patient, quick } from '../../support/eventstoredb-double/open-store.js';
import { type DoubleAndStore, withStore } from './double-and-store.js';

const onCluster = (run: (both: DoubleAndStore) => Promise<void>) => withStore(run, { nodes: 3 });

const appendsAt = ({ double }: DoubleAndStore): ReadonlyArray<number> =>
  double.nodes.map(({ state }) => state.calls.filter(({ rpc }) => rpc === 'append').length);

describe('a cluster of EventStoreDB', () => {
  it(
    'sends every call to the leader',
    onCluster(async (both) => {
      both.double.elect(2);
      const stream = aStream();
      await appended(both.store, stream, 'no-stream', anEvent());
      expect(await collect(both.store.readStream(stream, { direction: 'forwards' }))).to.have.length(1);
      expect(appendsAt(both)).to.deep.equal([0, 0, 1]);
      const reads = both.double.nodes.map(({ state }) => state.calls.filter(({ rpc }) => rpc === 'read').length);
      expect(reads).to.deep.equal([0, 0, 1]);
    }),
  );

  it(
    'sends calls over the connection on which the leader was found, so that none waits for another handshake',
    onCluster(async ({ store, double }) => {
      for (const index of [1, 2]) {
        double.elect(index);
        await appended(store, aStream(), 'no-stream', anEvent());
        const [answered, used] = double.nodes[index]!.state.calls.slice(-2);
        expect([answered?.rpc, used?.rpc]).to.deep.equal(['gossip', 'append']);
        expect(used?.peer).to.equal(answered?.peer);
        double.nodes[index]!.kill();
      }
    }),
  );

  it(
    'is searched for a leader that is not at the given address',
    onCluster(async ({ double }) => {
      double.elect(1);
      const { store } = openStore(`esdb://127.0.0.1:${double.nodes[0]!.port}?tls=false`);
      await appended(store, aStream(), 'no-stream', anEvent());
      await store.close();
      expect(double.nodes[1]?.state.calls.map(({ rpc }) => rpc)).to.deep.equal(['gossip', 'append']);
    }),
  );

  it(
    'takes nobody for the leader whom only others name, and finds the one who says so once it is heard of',
    onCluster(async (both) => {
      const { double } = both;
      const [asked, named, leading] = double.nodes;
      double.elect(2);
      asked!.faults.namesAsLeader = named!.port;
      const { store } = openStore(`esdb://127.0.0.1:${asked!.port}?tls=false`);
      const pending = append(store, aStream(), 'no-stream', anEvent());
      await named!.state.news.until(() => named!.state.calls.length > 0);
      asked!.faults.namesAsLeader = leading!.port;
      expect(E.isRight(await pending)).to.equal(true);
      await store.close();
      expect(appendsAt(both)).to.deep.equal([0, 0, 1]);
    }),
  );

  it(
    'goes on with the new leader when the old one dies',
    onCluster(async (both) => {
      await appended(both.store, aStream(), 'no-stream', anEvent());
      both.double.nodes[0]?.kill();
      both.double.elect(1);
      await appended(both.store, aStream(), 'no-stream', anEvent());
      expect(appendsAt(both)).to.deep.equal([1, 1, 0]);
    }),
  );

  it(
    'goes on with the new leader while the others still list the dead one as a leader',
    onCluster(async (both) => {
      await appended(both.store, aStream(), 'no-stream', anEvent());
      both.double.nodes[0]?.kill();
      both.double.replaceDead(1);
      await appended(both.store, aStream(), 'no-stream', anEvent());
      expect(appendsAt(both)).to.deep.equal([1, 1, 0]);
    }),
  );

  it(
    'does not fall for a frozen leader whom the others still name',
    withStore(
      async (both) => {
        const { double, store, connectionEvents, reported } = both;
        await appended(store, aStream(), 'no-stream', anEvent());
        double.nodes[0]!.faults.isSilent = true;
        const pending = append(store, aStream(), 'no-stream', anEvent());
        await reported('unreachable');
        double.elect(2);
        expect(E.isRight(await pending)).to.equal(true);
        expect(appendsAt(both)).to.deep.equal([2, 0, 1]);
        expect(connectionEvents.filter(({ kind }) => kind === 'reconnected')).to.deep.equal([
          { kind: 'reconnected', endpoint: `127.0.0.1:${double.nodes[2]!.port}` },
        ]);
      },
      // the appends are counted, so none is given up but that of the frozen leader; a search is repeated in any case
      { nodes: 3, timings: { ...patient, idleTimeout: 3_000, gossipTimeout: 300 } },
    ),
  );

  it(
    'goes on with the new leader when the old one has become a follower',
    onCluster(async (both) => {
      await appended(both.store, aStream(), 'no-stream', anEvent());
      both.double.elect(1);
      await appended(both.store, aStream(), 'no-stream', anEvent());
      expect(appendsAt(both)).to.deep.equal([2, 1, 0]);
      expect(both.double.log.records).to.have.length(3);
    }),
  );

  it(
    'keeps its connection to the new leader when a call to the old one fails later',
    withStore(
      async (both) => {
        const { double, store, connectionEvents } = both;
        const [old] = double.nodes;
        old!.faults.appends.push('no-response');
        const late = append(store, aStream(), 'no-stream', anEvent());
        await old!.state.news.until(() => old!.faults.appends.length === 0);
        double.elect(1);
        await appended(store, aStream(), 'no-stream', anEvent());
        old!.kill();
        expect(E.isRight(await late)).to.equal(true);
        const kinds = connectionEvents.map(({ kind }) => kind);
        expect(kinds).to.deep.equal([
          'connected',
          'connection-lost',
          'append-repeated',
          'reconnected',
          'append-repeated',
        ]);
      },
      // no call times out before the old leader dies
      { nodes: 3, timings: patient },
    ),
  );

  it(
    'keeps a subscription complete when the leader changes and the old one does not end it',
    onCluster(async (both) => {
      const { double, store } = both;
      const leaving = new AbortController();
      const seen = makeHeard<string>();
      const following = (async () => {
        for await (const batch of store.subscribe({ after: 'start' }, leaving.signal))
          for (const { id } of batch.events) seen.hear(id);
      })();
      for (const leader of [0, 1, 2, 0]) {
        double.elect(leader);
        await appended(store, aStream(), 'no-stream', anEvent());
      }
      const all = double.log.records.slice(1).map(({ id }) => id);
      expect(await seen.until(({ length }) => length >= all.length)).to.deep.equal(all);
      leaving.abort();
      await following;
    }),
  );

  it(
    'begins a subscription on the new leader when the old one is frozen and nothing else has noticed',
    withStore(
      async ({ double, store }) => {
        await store.head();
        double.nodes[0]!.faults.isSilent = true;
        double.elect(1);
        const event = anEvent();
        double.log.append(aStream(), 'no-stream', [event]);
        const seen = await batchesUntil(
          store.subscribe({ after: 'start' }, new AbortController().signal),
          ({ length }) => length > 0,
        );
        expect(eventsOf(seen).map(({ id }) => id)).to.deep.equal([event.id]);
      },
      { nodes: 3, timings: quick },
    ),
  );

  it(
    'is out of reach while nobody leads, and is found again',
    withStore(
      async (both) => {
        both.double.elect(undefined);
        const outcome = await append(both.store, aStream(), 'no-stream', anEvent());
        expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
        expect(appendsAt(both)).to.deep.equal([0, 0, 0]);
        both.double.elect(1);
        await appended(both.store, aStream(), 'no-stream', anEvent());
      },
      { nodes: 3, timings: { ...patient, timeout: 1_000 } },
    ),
  );
});
