import { expect } from 'chai';
import { CheckpointNotInLog, type LogBatch } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From } from '../../../src/event-sourcing/recorded-event.js';
import type { Timings } from '../../../src/infrastructure/eventstoredb/options.js';
import { patient, quick } from '../../support/eventstoredb-double/open-store.js';
import {
  anEvent,
  appended,
  aStream,
  batchesOf,
  eventsOf,
  someEvents,
} from '../../contract/event-store/store-under-test.js';
import { makeHeard } from '../../support/news.js';
import { type DoubleAndStore, withStore } from './double-and-store.js';

type Follower = {
  /** The last batch so far, which may have no events; waits for the first one. */
  readonly reached: () => Promise<LogBatch>;
  /** Resolves when the subscription has ended; rejects as it does. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
  readonly seen: (count: number) => Promise<ReadonlyArray<string>>;
};

const follow = ({ store }: DoubleAndStore, after: From = 'start'): Follower => {
  const leaving = new AbortController();
  const { all: batches, hear, until } = makeHeard<LogBatch>();
  const ended = (async () => {
    for await (const batch of store.subscribe({ after }, leaving.signal)) hear(batch);
  })();
  ended.catch(() => undefined);
  return {
    reached: async () => (await until(({ length }) => length > 0)).at(-1)!,
    ended,
    stop: () => {
      leaving.abort();
      return ended;
    },
    seen: async (count) => eventsOf(await until(() => eventsOf(batches).length >= count)).map(({ id }) => id),
  };
};

const write = async ({ store }: DoubleAndStore, count: number): Promise<ReadonlyArray<string>> => {
  const events = someEvents(count);
  await appended(store, aStream(), 'no-stream', ...events);
  return events.map(({ id }) => id);
};

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(undefined, (failure: unknown) => failure);

/** Past the store, and at once. */
const writeIntoLog = ({ double }: DoubleAndStore): string => {
  const event = anEvent();
  double.log.append(aStream(), 'no-stream', [event]);
  return event.id;
};

/** Looks soon, and gives nothing up that a busy machine holds up. */
const WATCHFUL: Timings = { ...patient, watchdogInterval: quick.watchdogInterval };

describe('subscribing to EventStoreDB through faults', () => {
  const breaks: ReadonlyArray<readonly [string, (both: DoubleAndStore) => Promise<void>]> = [
    ['the server dies and comes back on the same port', ({ double }) => double.node.restart()],
    [
      'the server ends the subscription with status OK',
      ({ double }) => {
        double.node.endReads();
        return Promise.resolve();
      },
    ],
    [
      'the connection is discarded because an append failed on it',
      async (both) => {
        both.double.node.faults.appends.push('reset');
        await write(both, 1);
      },
    ],
  ];
  for (const [what, breakIt] of breaks)
    it(
      `goes on without a gap or a repetition when ${what}`,
      withStore(async (both) => {
        const follower = follow(both);
        const before = await write(both, 3);
        expect(await follower.seen(3)).to.deep.equal(before);
        await breakIt(both);
        await write(both, 3);
        const all = both.double.log.records.slice(1).map(({ id }) => id);
        expect(await follower.seen(all.length)).to.deep.equal(all);
        const subscribed = both.double.node.state.calls.filter(({ rpc }) => rpc === 'read').length;
        expect(subscribed).to.be.greaterThan(1);
        await follower.stop();
      }),
    );

  it(
    'is renewed by its watchdog when it sends nothing while events are appended',
    withStore(
      async (both) => {
        const { double, connectionEvents, reported } = both;
        const follower = follow(both);
        await write(both, 1);
        await follower.seen(1);
        double.node.faults.areSubscriptionsSilent = true;
        await write(both, 2);
        await reported('watchdog');
        double.node.faults.areSubscriptionsSilent = false;
        const all = double.log.records.slice(1).map(({ id }) => id);
        expect(await follower.seen(3)).to.deep.equal(all);
        expect(connectionEvents.map(({ kind }) => kind)).to.include('resubscribed');
        await follower.stop();
      },
      { timings: WATCHFUL },
    ),
  );

  it(
    'is left alone by its watchdog while nothing happens',
    withStore(
      async (both) => {
        const follower = follow(both);
        await write(both, 1);
        await follower.seen(1);
        const reads = () => both.double.node.state.calls.filter(({ rpc }) => rpc === 'read').length;
        const before = reads();
        await both.double.node.state.news.until(() => reads() >= before + 4);
        expect(both.connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
        await follower.stop();
      },
      { timings: WATCHFUL },
    ),
  );

  it(
    'goes on after a time in which the server accepted calls and did not respond',
    withStore(
      async (both) => {
        const { double } = both;
        const follower = follow(both);
        const first = writeIntoLog(both);
        await follower.seen(1);
        double.node.faults.isSilent = true;
        const gossips = () => double.node.state.calls.filter(({ rpc }) => rpc === 'gossip').length;
        await double.node.state.news.until(() => gossips() >= 4);
        expect(both.connectionEvents.filter(({ kind }) => kind === 'unreachable')).to.have.length(1);
        double.node.faults.isSilent = false;
        const second = writeIntoLog(both);
        expect(await follower.seen(2)).to.deep.equal([first, second]);
        await write(both, 1);
        const all = double.log.records.slice(1).map(({ id }) => id);
        expect(await follower.seen(all.length)).to.deep.equal(all);
        await follower.stop();
      },
      // a single node is asked where the leader is for as long as a call is tried
      { timings: { ...quick, timeout: 2_500 } },
    ),
  );

  it(
    'drops an event that is delivered twice',
    withStore(async (both) => {
      both.double.node.faults.isRepeating = true;
      const before = await write(both, 3);
      const follower = follow(both);
      await follower.seen(3);
      const later = await write(both, 3);
      expect(await follower.seen(6)).to.deep.equal([...before, ...later]);
      await follower.stop();
    }),
  );

  it(
    'moves its checkpoint past records of other categories, and resumes from it',
    withStore(async (both) => {
      const { store } = both;
      const follower = follow(both);
      for (let count = 0; count < 5; count++)
        await appended(store, aStream('foreign'), 'no-stream', ...someEvents(100));
      const passed = await follower.reached();
      expect(passed.events).to.deep.equal([]);
      const [id] = await write(both, 1);
      expect(await follower.seen(1)).to.deep.equal([id]);
      await follower.stop();
      const resumed = follow(both, passed.checkpoint);
      expect(await resumed.seen(1)).to.deep.equal([id]);
      await resumed.stop();
    }),
  );

  it(
    'resumes from a place where no record was read yet, also as programs before this one stored it',
    withStore(async (both) => {
      const { double } = both;
      // a page that is full, so that the next one begins at the end of the log
      while (double.log.records.length < 32) await appended(both.store, aStream('foreign'), 'no-stream', anEvent());
      const first = follow(both);
      const { checkpoint: passed } = await first.reached();
      await first.stop();
      const end = double.log.end();
      const [id] = await write(both, 1);
      expect(double.log.records.at(-1)?.position).to.equal(end);
      expect(passed.commit < end).to.equal(true);
      for (const checkpoint of [passed, { commit: end, prepare: 0n }]) {
        const resumed = follow(both, checkpoint);
        expect(await resumed.seen(1)).to.deep.equal([id]);
        await resumed.stop();
      }
    }),
  );

  it(
    'does not start from a checkpoint that is not in this log',
    withStore(async (both) => {
      await write(both, 3);
      const last = both.double.log.records.at(-1)!.position;
      const checkpoints: ReadonlyArray<Checkpoint> = [
        { commit: last + 1n, prepare: last + 1n },
        { commit: last - 1n, prepare: last - 1n },
      ];
      for (const checkpoint of checkpoints) {
        const failure = await failureOf(follow(both, checkpoint).ended);
        expect(failure).to.be.instanceOf(CheckpointNotInLog);
        expect((failure as CheckpointNotInLog).checkpoint).to.deep.equal(checkpoint); // reason: tested above
      }
    }),
  );

  it(
    'starts from a checkpoint that the log reaches only at a second look',
    withStore(
      async (both) => {
        const { double } = both;
        const before = double.log.records.length;
        await write(both, 1);
        const end = double.log.records.at(-1)!.position;
        double.log.restore(before);
        const follower = follow(both, { commit: end, prepare: end });
        await double.node.state.news.until(() => double.node.state.searches.length > 0);
        writeIntoLog(both);
        expect(double.log.records.at(-1)?.position).to.equal(end);
        const behind = await write(both, 1);
        expect(await follower.seen(1)).to.deep.equal(behind);
        await follower.stop();
      },
      // between the two looks there is time to write into the log
      { timings: { ...patient, backoff: { first: 20, longest: 1_000 } } },
    ),
  );

  it(
    'ends when the log has been restored from before its checkpoint',
    withStore(async (both) => {
      const { double } = both;
      const follower = follow(both);
      await write(both, 1);
      await write(both, 3);
      await follower.seen(4);
      double.node.kill();
      double.log.restore(2);
      await double.node.restart();
      expect(await failureOf(follower.ended)).to.be.instanceOf(CheckpointNotInLog);
    }),
  );

  it(
    'buffers no more than a page while its consumer works',
    withStore(async (both) => {
      const { store, double } = both;
      const large = () => anEvent({ data: `"${'x'.repeat(500)}"` });
      for (let count = 0; count < 5; count++)
        await appended(store, aStream(), 'no-stream', large(), ...Array.from({ length: 999 }, large));
      await batchesOf(store.readAll({ after: 'start' }));
      const whole = 2 * double.node.state.sent;
      const leaving = new AbortController();
      const reader = store.subscribe({ after: 'start' }, leaving.signal)[Symbol.asyncIterator]();
      const first = (await reader.next()).value as LogBatch; // reason: it does not end
      // another reader has everything meanwhile, so the first one would have had it, too
      await batchesOf(store.readAll({ after: 'start' }));
      const sent = double.node.state.sent - whole;
      expect(first.events.length).to.be.lessThan(600);
      expect(sent).to.be.lessThan(2_500);
      let count = first.events.length;
      while (count < 5_000) count += ((await reader.next()).value as LogBatch).events.length; // reason: it does not end
      expect(count).to.equal(5_000);
      leaving.abort();
      await reader.next();
    }),
  );

  it(
    'buffers few large events, however many a page may have',
    withStore(async ({ store }) => {
      const large = () => anEvent({ data: `"${'x'.repeat(250_000)}"` });
      for (let count = 0; count < 15; count++) await appended(store, aStream(), 'no-stream', large(), large(), large());
      const sizes: Array<number> = [];
      for await (const { events } of store.readAll({ after: 'start' })) sizes.push(events.length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(45);
      expect(Math.max(...sizes)).to.be.lessThan(20);
    }),
  );

  it(
    'leaves the connection to all others when its reader goes',
    withStore(async (both) => {
      const follower = follow(both);
      await write(both, 1);
      await follower.seen(1);
      await follower.stop();
      await write(both, 1);
      expect(both.connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
    }),
  );

  it(
    'may begin before the server runs',
    withStore(async (both) => {
      both.double.node.kill();
      const follower = follow(both);
      await both.reported('unreachable');
      await both.double.node.restart();
      const ids = await write(both, 1);
      expect(await follower.seen(1)).to.deep.equal(ids);
      await follower.stop();
    }),
  );
});

describe('a fault of the consumer', () => {
  it(
    'reaches the consumer and leaves no call open',
    withStore(async (both) => {
      await write(both, 1);
      const consume = async (): Promise<void> => {
        for await (const batch of both.store.subscribe({ after: 'start' }, new AbortController().signal))
          throw new Error(`stumbled over ${batch.events.length} events`);
      };
      expect(await failureOf(consume())).to.be.instanceOf(Error);
      const { state } = both.double.node;
      await state.news.until(() => state.openReads.size === 0);
      expect(await write(both, 1)).to.have.length(1);
    }),
  );
});
