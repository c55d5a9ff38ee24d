import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { ConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import { defaultTimings, type Timings } from '../../../src/infrastructure/eventstoredb/options.js';
import {
  anEvent,
  append,
  appended,
  aStream,
  collect,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import { type EventStoreDbDouble, startDouble } from '../../support/eventstoredb-double/double.js';
import type { AppendFault } from '../../support/eventstoredb-double/faults.js';
import { openStore, patient, quick } from '../../support/eventstoredb-double/open-store.js';
import { endsWithin } from '../../support/ends-within.js';
import { startSeverableProxy } from '../../support/severable-proxy.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { withStore } from './double-and-store.js';

const idsIn = ({ log }: EventStoreDbDouble, stream: string): ReadonlyArray<string> =>
  log.records.filter((record) => record.stream === stream).map(({ id }) => id);

const idsOf = (events: ReadonlyArray<NewEvent>): ReadonlyArray<string> => events.map(({ id }) => id);

const kindsOf = (connectionEvents: ReadonlyArray<ConnectionEvent>): ReadonlyArray<string> =>
  connectionEvents.map(({ kind }) => kind);

const appendsTo = ({ node }: EventStoreDbDouble): number =>
  node.state.calls.filter(({ rpc }) => rpc === 'append').length;

/**
 * The default ones with five times the time for a call. A pause of the server is five times as long beside them as well,
 * so that what a busy machine takes of that time does not matter.
 */
const FACTOR = 5;
const fivefold: Timings = {
  ...defaultTimings,
  timeout: FACTOR * defaultTimings.timeout,
  idleTimeout: FACTOR * defaultTimings.idleTimeout,
  minimumTimeout: FACTOR * defaultTimings.minimumTimeout,
};

const HEALING = ['connection-lost', 'append-repeated', 'reconnected'];
const HEALED = ['connected', ...HEALING];

describe('appending to EventStoreDB through faults', () => {
  const transient: ReadonlyArray<readonly [string, AppendFault]> = [
    ['the acknowledgement is lost', 'lost-acknowledgement'],
    ['the server stores them and does not respond', 'stored-without-response'],
    ['the server neither stores them nor responds', 'no-response'],
    ['the connection breaks before they are stored', 'reset'],
    ['the server is not ready', 'not-ready'],
  ];
  for (const [what, fault] of transient)
    it(
      `stores events once when ${what}`,
      withStore(
        async ({ store, connectionEvents, double }) => {
          const stream = aStream();
          const events = someEvents(3);
          double.node.faults.appends.push(fault);
          const outcome = await append(store, stream, 'no-stream', ...events);
          const { position } = double.log.records.at(-1)!;
          expect(outcome).to.deep.equal(E.right({ revision: 2n, position, confirmedNew: false }));
          expect(idsIn(double, stream)).to.deep.equal(idsOf(events));
          const kinds = kindsOf(connectionEvents);
          expect(kinds.slice(0, HEALED.length)).to.deep.equal(HEALED);
          // a busy machine may take longer than the deadline, and it begins again
          expect([kinds.length % HEALING.length, kinds.at(-1)]).to.deep.equal([1, 'reconnected']);
          expect(double.node.state.mostEqualAppends).to.equal(1);
        },
        { timings: quick },
      ),
    );

  let passed = 0;
  const later = (): number => systemRuntime.clock.monotonic() + passed;
  it(
    'gives an append no more time than is left when it was asked for long whether it may be sent',
    withStore(
      async ({ store, double }) => {
        await appended(store, aStream(), 'no-stream', anEvent());
        const mayAppend = () => {
          passed = 1_900;
          double.node.faults.isSilent = true;
          return Promise.resolve(E.right(undefined));
        };
        const appending = store.append(aStream(), 'no-stream', [anEvent()], undefined, mayAppend);
        // it would be another 2 s, if it had the time of a whole call
        expect(await endsWithin(1_500, appending)).to.equal(true);
        expect(await appending).to.have.nested.property('left._tag', 'StoreUnavailable');
      },
      {
        runtime: { ...systemRuntime, clock: { ...systemRuntime.clock, monotonic: later } },
        timings: { ...patient, timeout: 2_000, minimumTimeout: 100, idleTimeout: 2_000 },
      },
    ),
  );

  it(
    'does not take a part of the events for all of them when it finds out what became of an append',
    withStore(
      async ({ store, double }) => {
        const stream = aStream();
        const events = someEvents(2);
        await appended(store, stream, 'no-stream', events[0]);
        double.node.faults.appends.push('no-response');
        expect(await append(store, stream, 'no-stream', ...events)).to.deep.equal(
          E.left({ _tag: 'RevisionConflict', expected: 'no-stream', actual: 0n }),
        );
      },
      { timings: quick },
    ),
  );

  it(
    'repeats until an append that is slower than its deadline has been written',
    withStore(
      async ({ store, double }) => {
        const stream = aStream();
        const event = anEvent();
        // at the third try it is still being written
        const until = double.node.state.news.until(() => appendsTo(double) === 3);
        double.node.faults.appends.push({ until });
        expect(await append(store, stream, 'no-stream', event)).to.deep.equal(
          E.right({ revision: 0n, position: double.log.records.at(-1)!.position, confirmedNew: false }),
        );
        expect(idsIn(double, stream)).to.deep.equal([event.id]);
        expect(double.node.state.mostEqualAppends).to.equal(1);
      },
      { timings: quick },
    ),
  );

  it('waits for a server that pauses for 2 s, whether it then answers or fails what it was storing', async () => {
    const double = await startDouble();
    const way = await startSeverableProxy(double.connectionString);
    const { store } = openStore(way.url, { timings: fivefold });
    const streams = Array.from({ length: 8 }, () => aStream());
    try {
      await Promise.all(streams.map((stream) => appended(store, stream, 'no-stream', anEvent())));
      double.node.faults.appends.push('lost-acknowledgement', 'commit-timeout');
      way.stall();
      // pauses: the deadline of an append is counted by gRPC
      const mending = delay(FACTOR * 2_000).then(way.mend);
      const appends = streams.map((stream) => append(store, stream, 0n, anEvent()));
      const reads = streams.map((stream) => collect(store.readStream(stream, { direction: 'forwards' })));
      const outcomes = await Promise.all(appends);
      expect(outcomes.filter(E.isLeft)).to.deep.equal([]);
      for (const events of await Promise.all(reads)) expect(events.length).to.be.greaterThan(0);
      for (const stream of streams) expect(idsIn(double, stream)).to.have.length(2);
      await mending;
    } finally {
      await store.close();
      await way.close();
      double.close();
    }
  });

  it(
    'stores events once when the server dies with their append and comes back on the same port',
    withStore(
      async ({ store, double }) => {
        const streams = Array.from({ length: 8 }, () => aStream());
        const rounds = streams.map(async (stream) => {
          for (let revision = -1n; revision < 9n; revision++)
            await appended(store, stream, revision < 0n ? 'no-stream' : revision, anEvent());
        });
        const { state, faults } = double.node;
        await state.news.until(() => double.log.records.length > 20);
        faults.appends.push('lost-acknowledgement', 'stored-without-response', 'no-response');
        await state.news.until(() => faults.appends.length === 0);
        await double.node.restart();
        await Promise.all(rounds);
        for (const stream of streams) expect(new Set(idsIn(double, stream)).size).to.equal(10);
        expect(double.log.records).to.have.length(81);
      },
      { timings: quick },
    ),
  );

  it(
    'reads back before it reports a retried append as a conflict',
    withStore(async ({ store, double }) => {
      const stream = aStream();
      const events = someEvents(2);
      double.node.faults.appends.push('lost-acknowledgement', 'claims-conflict');
      expect(await append(store, stream, 'no-stream', ...events)).to.deep.equal(
        E.right({ revision: 1n, position: double.log.records.at(-1)!.position, confirmedNew: false }),
      );
      double.node.faults.appends.push('reset', 'claims-conflict');
      expect(await append(store, stream, 0n, anEvent())).to.deep.equal(
        E.left({ _tag: 'RevisionConflict', expected: 0n, actual: 1n }),
      );
      expect(idsIn(double, stream)).to.deep.equal(idsOf(events));
    }),
  );

  it(
    'reads back before it reports a conflict when any try may have stored the events, not the last one alone',
    withStore(async ({ store, double }) => {
      const stream = aStream();
      const events = someEvents(2);
      double.node.faults.appends.push('lost-acknowledgement', 'not-ready', 'claims-conflict');
      expect(await append(store, stream, 'no-stream', ...events)).to.deep.equal(
        E.right({ revision: 1n, position: double.log.records.at(-1)!.position, confirmedNew: false }),
      );
      expect(idsIn(double, stream)).to.deep.equal(idsOf(events));
    }),
  );

  it(
    'does not read back after a conflict at the first try',
    withStore(async ({ store, double }) => {
      const stream = aStream();
      await appended(store, stream, 'no-stream', anEvent());
      await append(store, stream, 'no-stream', anEvent());
      expect(double.node.state.calls.filter(({ rpc }) => rpc === 'read')).to.deep.equal([]);
    }),
  );

  it(
    'takes a tombstoned stream for one without events, and leaves an outcome open when it cannot be read back',
    withStore(async ({ store, double }) => {
      const [dead, deleted] = [aStream(), aStream()];
      const event = anEvent();
      await appended(store, dead, 'no-stream', anEvent());
      await appended(store, deleted, 'no-stream', event);
      double.log.tombstone(dead);
      double.log.softDelete(deleted);
      expect(await append(store, dead, 0n, anEvent())).to.deep.equal(
        E.left({ _tag: 'RevisionConflict', expected: 0n, actual: 'no-stream' }),
      );
      const rejected = await append(store, dead, 'no-stream', anEvent());
      expect(E.isLeft(rejected) && rejected.left._tag).to.equal('AppendRejected');
      const unknown = await append(store, deleted, 'no-stream', event);
      expect(E.isLeft(unknown) && unknown.left._tag).to.equal('StoreUnavailable');
    }),
  );

  it(
    'sends nothing that is too large, and does not retry what the server cannot handle',
    withStore(async ({ store, double }) => {
      const large = await append(store, aStream(), 'no-stream', anEvent({ data: `"${'x'.repeat(1 << 20)}"` }));
      expect(E.isLeft(large) && large.left._tag).to.equal('AppendRejected');
      expect(appendsTo(double)).to.equal(0);
      double.node.faults.appends.push('handler-exception');
      const failed = await append(store, aStream(), 'no-stream', anEvent());
      expect(E.isLeft(failed) && failed.left._tag).to.equal('StoreUnavailable');
      expect(appendsTo(double)).to.equal(1);
    }),
  );

  it(
    'fails with StoreUnavailable when the outcome stays unknown',
    withStore(
      async ({ store, double }) => {
        await appended(store, aStream(), 'no-stream', anEvent());
        double.node.faults.appends.push(...Array.from({ length: 100 }, (): AppendFault => 'lost-acknowledgement'));
        const outcome = await append(store, aStream(), 'no-stream', anEvent());
        expect(E.isLeft(outcome) && outcome.left).to.be.instanceOf(StoreUnavailable);
        expect(double.node.faults.appends.length).to.be.lessThan(97);
      },
      { timings: { ...patient, timeout: 3_000 } },
    ),
  );

  it(
    'fails when the store has been closed',
    withStore(async ({ store }) => {
      await store.close();
      const outcome = await append(store, aStream(), 'no-stream', anEvent());
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
    }),
  );
});
