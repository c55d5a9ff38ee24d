import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable, StreamTruncated, type Truncated } from '../../../src/event-sourcing/event-store.js';
import {
  aCategory,
  anEvent,
  append,
  appended,
  aStream,
  batchesOf,
  collect,
  eventsOf,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import type { EventStoreDbDouble } from '../../support/eventstoredb-double/double.js';
import { endsWithin } from '../../support/ends-within.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { patient } from '../../support/eventstoredb-double/open-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { withStore } from './double-and-store.js';

const noneIsOpen = ({ node: { state } }: EventStoreDbDouble): Promise<void> =>
  state.news.until(() => state.openReads.size === 0);

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(undefined, (failure: unknown) => failure);

describe('reading EventStoreDB through faults', () => {
  it(
    'fails within three seconds when the server does not respond, and leaves no call open',
    withStore(
      async ({ store, double }) => {
        const stream = aStream();
        const event = anEvent();
        await append(store, stream, 'no-stream', event);
        double.node.faults.isSilent = true;
        const works = [
          collect(store.readStream(stream, { direction: 'forwards' })),
          batchesOf(store.readAll({ after: 'start' })),
          store.head().then(E.fold(Promise.reject.bind(Promise), Promise.resolve.bind(Promise))),
          store.identity().then(E.fold(Promise.reject.bind(Promise), Promise.resolve.bind(Promise))),
        ];
        const failing = Promise.all(works.map(failureOf));
        expect(await endsWithin(3_000, failing)).to.equal(true);
        for (const failure of await failing) expect(failure).to.be.instanceOf(StoreUnavailable);
        await noneIsOpen(double);
      },
      { timings: {} },
    ),
  );

  const IDLE_MS = 3_000;
  /** Its day is the next one: the deadlines that gRPC takes from it do not pass. */
  const clock = makeManualClock(new Date(Date.now() + 86_400_000));

  it(
    'waits longer, but not for ever, for one of many reads while the server responds to others',
    withStore(
      async ({ store, double, connectionEvents, reported }) => {
        const [large, other] = [aStream(), aStream()];
        for (const stream of [large, other]) await appended(store, stream, 'no-stream', anEvent());
        const { faults, state } = double.node;
        const held = async () => {
          let letGo = (): void => undefined;
          faults.reads.push(new Promise<void>((resolve) => (letGo = resolve)));
          const reading = collect(store.readStream(large, { direction: 'forwards' }));
          await state.news.until(() => faults.reads.length === 0);
          return { reading, letGo };
        };
        /** So long, in which the server responds to others. */
        const pass = async (idleTimes: number): Promise<void> => {
          for (let passed = 0; passed < idleTimes; passed += 0.5) {
            await clock.advance(0.5 * IDLE_MS);
            await collect(store.readStream(other, { direction: 'forwards' }));
          }
        };
        const first = await held();
        await pass(2);
        first.letGo();
        expect(await first.reading).to.have.length(1);
        expect(connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
        const second = await held();
        await pass(2);
        expect(connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
        await clock.advance(0.5 * IDLE_MS);
        await reported('connection-lost');
        await clock.advance(patient.backoff.first);
        expect(await second.reading).to.have.length(1);
        expect(connectionEvents.map(({ kind }) => kind)).to.include.members(['connection-lost', 'read-repeated']);
      },
      { timings: { ...patient, idleTimeout: IDLE_MS }, runtime: { ...systemRuntime, clock } },
    ),
  );

  it(
    'gives up what is due when it is, also while the server is busy with other calls',
    withStore(
      async ({ store, double }) => {
        const { faults } = double.node;
        const { clock } = systemRuntime;
        await appended(store, aStream(), 'no-stream', anEvent());
        const leaving = new AbortController();
        faults.reads.push(new Promise(() => undefined));
        const reading = collect(
          store.readStream(aStream(), { direction: 'forwards', until: clock.monotonic() + 1_000 }),
        );
        const others = (async () => {
          while (!leaving.signal.aborted) await store.head();
        })();
        // while others are answered it would otherwise have two and a half times as long
        const isOver = await endsWithin(1_700, reading);
        leaving.abort();
        await others;
        expect(isOver).to.equal(true);
        faults.isSilent = true;
        const due = clock.monotonic() + 1_000;
        const calls = [store.append(aStream(), 'no-stream', [anEvent()], due), store.newestRevision(aStream(), due)];
        expect(await endsWithin(5_000, Promise.all(calls))).to.equal(true);
        for (const call of calls) expect(await call).to.have.nested.property('left._tag', 'StoreUnavailable');
        expect(await failureOf(reading)).to.be.instanceOf(StoreUnavailable);
      },
      { timings: { ...patient, minimumTimeout: 800 } },
    ),
  );

  it(
    'leaves no call open when its reader stops early',
    withStore(async ({ store, double }) => {
      const stream = aStream();
      for (let count = 0; count < 3; count++)
        await appended(store, stream, count === 0 ? 'no-stream' : BigInt(400 * count - 1), ...someEvents(400));
      const leaving = new AbortController();
      for await (const page of store.readStream(stream, { direction: 'forwards' })) if (page.length > 0) break;
      for await (const batch of store.readAll({ after: 'start' })) if (batch.events.length > 0) break;
      for await (const batch of store.subscribe({ after: 'start' }, leaving.signal)) if (batch.events.length > 0) break;
      await noneIsOpen(double);
    }),
  );

  it(
    'retries a read on a new connection when the server was not ready or had restarted',
    withStore(async ({ store, double, connectionEvents, reported }) => {
      const stream = aStream();
      const events = someEvents(2);
      await appended(store, stream, 'no-stream', ...events);
      // it is lost while it waits: between two reads a lost connection would be opened again unnoticed
      double.node.faults.isSilent = true;
      const reading = collect(store.readStream(stream, { direction: 'forwards' }));
      await double.node.state.news.until(() => double.node.state.openReads.size > 0);
      double.node.faults.isSilent = false;
      await double.node.restart();
      const read = await reading;
      expect(read.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
      expect(connectionEvents.map(({ kind }) => kind)).to.include('read-repeated');
      double.node.faults.isNotReady = true;
      const later = collect(store.readStream(stream, { direction: 'backwards', limit: 1 }));
      await reported('read-repeated', 2);
      double.node.faults.isNotReady = false;
      expect((await later).map(({ id }) => id)).to.deep.equal([events[1]?.id]);
    }),
  );

  it(
    'reports a stream without its beginning as damaged',
    withStore(async ({ store, double }) => {
      const [cut, revived] = [aStream(), aStream()];
      await appended(store, cut, 'no-stream', ...someEvents(4));
      double.log.truncateBefore(cut, 2);
      await appended(store, revived, 'no-stream', ...someEvents(2));
      double.log.softDelete(revived);
      await appended(store, revived, 'no-stream', anEvent());
      for (const stream of [cut, revived])
        for (const direction of ['forwards', 'backwards'] as const) {
          const failure = await failureOf(collect(store.readStream(stream, { direction })));
          expect(failure).to.be.instanceOf(StreamTruncated);
          expect((failure as Error).message).to.match(/is damaged: revision \d is missing/); // reason: tested
        }
      expect(await collect(store.readStream(cut, { direction: 'forwards', from: 3n }))).to.have.length(1);
    }),
  );

  it(
    'gives nothing of a stream that was deleted, for good or not',
    withStore(async ({ store, double }) => {
      const [dead, deleted] = [aStream(), aStream()];
      await appended(store, dead, 'no-stream', anEvent());
      await appended(store, deleted, 'no-stream', anEvent());
      double.log.tombstone(dead);
      double.log.softDelete(deleted);
      for (const stream of [dead, deleted]) {
        for (const direction of ['forwards', 'backwards'] as const)
          expect(await collect(store.readStream(stream, { direction }))).to.deep.equal([]);
        expect(await store.newestRevision(stream)).to.deep.equal(E.right('no-stream'));
      }
    }),
  );

  it(
    'gives the streams of which it hides events, as long as it does',
    withStore(async ({ store, double }) => {
      const [whole, dead, deleted, cut] = [aStream(), aStream(), aStream(), aStream()];
      const foreign = `foreign-${crypto.randomUUID()}`;
      for (const stream of [whole, dead, deleted, cut]) await appended(store, stream, 'no-stream', ...someEvents(3));
      const truncated = async () => {
        const found: Array<Truncated> = [];
        for await (const batch of store.readTruncations!({ after: 'start' })) found.push(...batch.truncated);
        return found;
      };
      expect(await truncated()).to.deep.equal([]);
      double.log.tombstone(dead);
      double.log.tombstone(foreign);
      double.log.softDelete(deleted);
      double.log.truncateBefore(cut, 2);
      const gone = { stream: dead, first: undefined };
      expect(await truncated()).to.deep.equal([
        gone,
        { stream: deleted, first: undefined },
        { stream: cut, first: 2n },
      ]);
      await appended(store, deleted, 2n, anEvent());
      double.log.truncateBefore(cut, 0);
      expect(await truncated()).to.deep.equal([gone, { stream: deleted, first: 3n }]);
    }),
  );

  it(
    'returns JSON byte for byte, where parsing it would change it',
    withStore(async ({ store }) => {
      const stream = aStream();
      const data = '{"10":1,"9":2,"__proto__":{"a":1.0},"n":12345678901234567890,"z":-0, "spaced" : "\\u00e9" }';
      await appended(store, stream, 'no-stream', anEvent({ data, metadata: '{"2":"b","10":"a"}' }));
      const [event] = await collect(store.readStream(stream, { direction: 'forwards' }));
      expect(event?.data).to.equal(data);
      expect(event?.metadata).to.equal('{"2":"b","10":"a"}');
    }),
  );

  it(
    "leaves out the database's own records, and moves its checkpoint past them",
    withStore(async ({ store, double }) => {
      const category = aCategory();
      const stream = aStream(category);
      const { position } = await appended(store, stream, 'no-stream', anEvent());
      double.log.tombstone(stream);
      const batches = await batchesOf(store.readAll({ after: 'start', categories: [category] }));
      expect(eventsOf(batches).map((event) => event.position)).to.deep.equal([position]);
      expect(batches.at(-1)?.checkpoint.commit).to.equal(double.log.records.at(-1)?.position);
      expect(await store.head([category])).to.deep.equal(E.right(position));
    }),
  );

  it(
    'makes smaller pages of large events',
    withStore(async ({ store }) => {
      const stream = aStream();
      const data = `"${'x'.repeat(1_000_000)}"`;
      for (let revision = -1n; revision < 11n; revision++)
        await appended(store, stream, revision < 0n ? 'no-stream' : revision, anEvent({ data }));
      for (const direction of ['forwards', 'backwards'] as const) {
        const sizes: Array<number> = [];
        for await (const page of store.readStream(stream, { direction })) sizes.push(page.length);
        expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(12);
        expect(Math.max(...sizes)).to.be.lessThan(7);
      }
    }),
  );

  it(
    'gives one identity to all who ask first, and keeps it over a restart',
    withStore(async ({ store, double }) => {
      const names = await Promise.all(Array.from({ length: 8 }, () => store.identity()));
      expect(new Set(names.map((name) => E.isRight(name) && name.right)).size).to.equal(1);
      await double.node.restart();
      expect(await store.identity()).to.deep.equal(names[0]);
      expect(double.log.records.filter(({ stream }) => stream === 'log-identity')).to.have.length(1);
    }),
  );
});
