import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { withTimeout } from '../../../src/event-sourcing/with-timeout.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { aNotebook, aProcess, chainOf, handled, open, take } from '../../support/command-handler.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';

/** When its answer is due. */
const DUE = 2_800;

/** Every call of it, and each page, takes `ms`; what is due before that is given up then. */
const late = (clock: ManualClock, store: EventStore, ms: number): EventStore => {
  const answer = async <A>(until: number, work: () => Promise<A>): Promise<A | undefined> => {
    await withTimeout(clock, Math.min(ms, until - clock.monotonic()), clock.sleep(ms));
    return clock.monotonic() < until ? work() : undefined;
  };
  const overdue = new StoreUnavailable('no answer in time');
  return {
    ...store,
    append: async (stream, expected, events, until = Infinity) =>
      (await answer(until, () => store.append(stream, expected, events))) ?? E.left(overdue),
    readStream: async function* (stream, { until, ...range }) {
      let latest = until ?? Infinity;
      for await (const page of store.readStream(stream, range)) {
        const read = await answer(latest, () => Promise.resolve(page));
        if (read === undefined) throw overdue;
        latest = Infinity;
        yield read;
      }
    },
  };
};

/** Until when each call may be waited for, by its name. */
const noted = (store: EventStore) => {
  const untils: Array<readonly [string, number | undefined]> = [];
  const noting: EventStore = {
    ...store,
    append: (...asked) => {
      untils.push(['append', asked[3]]);
      return store.append(...asked);
    },
    readStream: (stream, range) => {
      untils.push([range.direction, range.until]);
      return store.readStream(stream, range);
    },
    newestRevision: (...asked) => {
      untils.push(['newest revision', asked[1]]);
      return store.newestRevision(...asked);
    },
  };
  return { noting, untils };
};

const isUnavailable = (outcome: E.Either<{ readonly _tag: string }, unknown>): boolean =>
  E.isLeft(outcome) && outcome.left instanceof StoreUnavailable;

describe('a command that is due', () => {
  const stream = aNotebook();
  let clock: ManualClock;
  let store: EventStore;

  beforeEach(async () => {
    clock = makeManualClock();
    store = makeInMemoryEventStore(undefined, { page: 2, monotonic: clock.monotonic });
    await handled(aProcess(store)(stream, open));
  });

  const runtime = () => ({ ...systemRuntime, clock });

  it('is answered by then where the log answers each of its calls late', async () => {
    for (const [ms, isDone] of [
      [1_300, true],
      [1_500, false],
    ] as const) {
      const due = clock.monotonic() + DUE;
      const asked = aProcess(late(clock, store, ms), { runtime: runtime() })(stream, take(`${ms}`), { until: due });
      const answered = asked.then((outcome) => [E.isRight(outcome), clock.monotonic() <= due]);
      await clock.advance(DUE);
      expect(await Promise.race([answered, Promise.resolve('unanswered')])).to.deep.equal([isDone, true]);
    }
    expect((await chainOf(store, stream)).map(({ data }) => data)).to.deep.equal(['{}', '{"text":"1300"}']);
  });

  it('says until when it waits, whatever it asks the log for', async () => {
    const { noting, untils } = noted(store);
    const [one, other] = [aProcess(noting, { runtime: runtime() }), aProcess(noting)];
    const asked = { until: DUE, key: 'first' };
    await handled(one(stream, take('a'), asked));
    expect(untils.splice(0)).to.deep.equal([
      ['forwards', DUE],
      ['append', DUE],
    ]);

    await handled(other(stream, take('b')));
    untils.splice(0);
    // conflicts, and reads on
    await handled(one(stream, take('c'), { until: DUE }));
    expect(untils.splice(0)).to.deep.equal([
      ['append', DUE],
      ['forwards', DUE],
      ['append', DUE],
    ]);

    // answers a repeat from the stream
    expect((await handled(one(stream, take('a'), asked))).replayed).to.equal(true);
    expect(untils.splice(0)).to.deep.equal([['forwards', DUE]]);

    // more keys than are remembered
    for (let count = 0; count < 2_100; count += 1) await one(stream, take(`${count}`), { key: `${count}` });
    untils.splice(0);
    expect((await handled(one(stream, take('a'), asked))).replayed).to.equal(true);
    expect(untils.splice(0)).to.deep.equal([
      ['backwards', DUE],
      ['forwards', DUE],
    ]);

    const rows = { revisionOf: () => Promise.resolve(9_999n), onCut: () => undefined };
    const cut = await aProcess(noting, { rows, runtime: runtime() })(stream, take('d'), { until: DUE });
    expect(E.isLeft(cut) && cut.left._tag).to.equal('HistoryCut');
    expect(untils).to.deep.equal([
      ['forwards', DUE],
      ['newest revision', DUE],
    ]);
  });

  it('is carried out where a history of many pages takes longer than that', async () => {
    await handled(aProcess(store)(stream, take(...Array.from({ length: 9 }, (_, index) => `${index}`))));
    const asked = aProcess(late(clock, store, 1_000), { runtime: runtime() })(stream, take('a'), { until: DUE });
    await clock.advance(20_000);
    expect((await handled(asked)).revision).to.equal(10n);
  });

  it('asks the log for nothing when those before it took all of its time, and those behind it go on', async () => {
    await handled(aProcess(store)(stream, take(...Array.from({ length: 9 }, (_, index) => `${index}`))));
    const { noting, untils } = noted(late(clock, store, 1_000));
    const process = aProcess(noting, { runtime: runtime() });
    const first = process(stream, take('a'), { until: DUE });
    await clock.advance(1);
    const second = process(stream, take('b'), { until: DUE });
    await clock.advance(5_000);
    const third = process(stream, take('c'), { until: clock.monotonic() + DUE });
    await clock.advance(20_000);
    expect((await handled(first)).revision).to.equal(10n);
    expect(isUnavailable(await second)).to.equal(true);
    expect((await handled(third)).revision).to.equal(11n);
    expect(untils.map(([call]) => call)).to.deep.equal(['forwards', 'append', 'append']);
  });

  it('gives up when others append before it until then', async () => {
    let attempts = 0;
    const racing: EventStore = {
      ...store,
      append: async (...asked) => {
        attempts += 1;
        await handled(aProcess(store)(stream, take(`theirs ${attempts}`)));
        return store.append(...asked);
      },
    };
    const random = { ...systemRuntime.random, fraction: () => 1 };
    const outcome = aProcess(racing, { runtime: { clock, random } })(stream, take('a'), { until: 100 });
    // pauses of 2, 4, 8, 16 and 32 ms; the next one would end too late
    await clock.advance(1_000);
    expect(await outcome).to.deep.equal(E.left({ _tag: 'StreamContended', stream }));
    expect(attempts).to.equal(8);
  });
});
