import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { rebuild } from '../../projections/engine/rebuild/rebuild.js';
import { rollBack } from '../../projections/engine/rebuild/rollback.js';
import { FRESH_MS } from '../../projections/engine/run/comparison.js';
import { HOLD_MS } from '../../projections/engine/run/progress.js';
import type { Projections } from '../../projections/engine/run/start-projections.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { orThrow } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type ManualClock, makeManualClock } from '../support/manual-clock.js';
import { startMemoryEngine } from '../support/memory-engine.js';
import { makeMemoryStorage, type MemoryStorage } from '../support/memory-storage/memory-storage.js';
import { append, created, renamed } from './appending.js';

/** Longer than a process takes to begin, and than any pause between two looks. */
const A_WHILE_MS = 5_000;

const observer = {
  onOpened: () => undefined,
  onChunksLoaded: () => undefined,
  onProgress: () => undefined,
  onBuilt: () => undefined,
};

describe('processes that share read models', () => {
  let clock: ManualClock;
  let runtime: Runtime;
  let store: EventStore;
  let storage: MemoryStorage;
  let told: Array<string>;
  let running: Array<Projections>;

  beforeEach(() => {
    clock = makeManualClock();
    runtime = { clock, random: systemRuntime.random };
    store = makeInMemoryEventStore();
    storage = makeMemoryStorage({ clock });
    [told, running] = [[], []];
  });

  /** What it comes to while time passes. */
  const meanwhile = async <A>(work: Promise<A>): Promise<A> => {
    let isOver = false;
    const over = (): boolean => isOver;
    const settled = work.finally(() => (isOver = true));
    settled.catch(() => undefined); // whoever asked is told
    await clock.advance(0);
    while (!over()) await clock.advance(10);
    return settled;
  };

  afterEach(() => meanwhile(Promise.all(running.map(({ stop }) => stop()))));

  const start = (name: string, over: Parameters<typeof startMemoryEngine>[1] = {}) => {
    const engine = startMemoryEngine(runtime, {
      store,
      storage,
      isSoleProcess: false,
      onEvent: ({ _tag, projection }) => void told.push(`${name}: ${projection} ${_tag}`),
      ...over,
    });
    running.push(engine.projections);
    return { ...engine.projections.byName('businesses'), queries: engine.queries, stop: engine.stop };
  };

  const business = (name: string) => append(store, `business-${randomUUID()}`, 0n, created(name));

  /** How long it takes, ms. */
  const timed = async <A>(work: Promise<A>): Promise<readonly [A, number]> => {
    const began = clock.monotonic();
    const found = await meanwhile(work);
    return [found, clock.monotonic() - began];
  };

  /** The storage, on a way that can be held up: nothing of what is called meanwhile takes effect. */
  const makeWay = () => {
    let mend = (): void => undefined;
    let mended = Promise.resolve();
    const held =
      <Args extends ReadonlyArray<unknown>, A>(call: (...args: Args) => Promise<A>) =>
      async (...args: Args): Promise<A> => {
        await mended;
        return call(...args);
      };
    const { acquire, change, generations, liveCheckpoints, migrate, release } = storage;
    return {
      storage: {
        ...storage,
        acquire: held(acquire),
        change: held(change),
        generations: held(generations),
        liveCheckpoints: held(liveCheckpoints),
        migrate: held(migrate),
        release: held(release),
      },
      stall: () => void (mended = new Promise((resolve) => (mend = resolve))),
      mend: () => mend(),
    };
  };

  for (const [ms, isTaken] of [
    [2_000, false],
    [4_000, true],
  ] as const)
    it(`${isTaken ? 'lose' : 'keep'} the right to write the rows in a pause of ${ms} ms, whenever it begins`, async () => {
      const way = makeWay();
      start('first', { storage: way.storage });
      await clock.advance(A_WHILE_MS);
      start('second');
      await clock.advance(A_WHILE_MS);
      expect(told.filter((line) => line.includes('StandingBy'))).to.have.length(3);
      for (let phase = 0; phase < 500; phase += 100) {
        const before = told.length;
        way.stall();
        await clock.advance(ms);
        way.mend();
        await clock.advance(A_WHILE_MS + 100);
        expect(told.length > before).to.equal(isTaken);
        if (isTaken) return;
      }
    });

  it('trust rows that they do not write only as long as they have compared them with the log lately', async () => {
    const projecting = start('projecting');
    const shown = await business('Acme');
    await clock.advance(A_WHILE_MS);
    expect(projecting.status().reached).to.equal(shown);
    await meanwhile(projecting.stop());

    let isQuiet = false;
    const head: EventStore['head'] = (categories) =>
      isQuiet ? Promise.resolve(E.left(new StoreUnavailable('quiet'))) : store.head(categories);
    const { freshness, status } = start('reading', { store: { ...store, head }, projector: false });
    await clock.advance(A_WHILE_MS);
    expect(freshness.rows()).to.equal('Fresh');
    isQuiet = true;
    await clock.advance(FRESH_MS);
    expect(freshness.rows()).to.equal('Unsure');
    const until = freshness.shownUntil()?.getTime() ?? 0;
    expect(until).to.be.within(clock.date().getTime() - 2 * FRESH_MS, clock.date().getTime() - FRESH_MS);
    await business('Bolt');
    await clock.advance(A_WHILE_MS);
    expect(freshness.rows()).to.equal('Unsure');
    isQuiet = false;
    await clock.advance(500);
    // its rows are as old as they were
    expect([freshness.rows(), status().isBehind, freshness.shownUntil()?.getTime()]).to.deep.equal([
      'Behind',
      true,
      until,
    ]);
    start('projecting again');
    await clock.advance(A_WHILE_MS);
    expect(freshness.rows()).to.equal('Fresh');
  });

  it('let no write wait for rows whose projector has stopped renewing its lease, and wait for the next one', async () => {
    const projecting = start('projecting');
    await business('Acme');
    await clock.advance(A_WHILE_MS);
    await meanwhile(projecting.stop());
    const { progress } = start('reading', { projector: false });
    // as after a crash: it was not given back
    await storage.acquire(storage.liveGeneration('businesses')?.name ?? '', 'the dead', false);
    await clock.advance(A_WHILE_MS);
    // so long, others may show what they have
    expect(await timed(progress.waitFor(await business('Bolt')))).to.deep.equal([false, HOLD_MS]);
    start('next');
    await clock.advance(A_WHILE_MS);
    expect(await timed(progress.waitFor(await business('Cord')))).to.deep.equal([true, 0]);
  });

  it('take up rows that were rebuilt while somebody else who is dead had the right to write those before', async () => {
    const { progress } = start('serving');
    await business('Acme');
    await clock.advance(A_WHILE_MS);
    // as a repair that was killed
    await storage.acquire(storage.liveGeneration('businesses')?.name ?? '', 'the dead', true);
    await clock.advance(1_500);
    const { signal } = new AbortController();
    const decide = () => Promise.resolve('switch' as const);
    const differences = { keep: 0, onDifference: () => Promise.resolve() };
    const rows = { runtime, storage, store, projection: businesses, isFromScratch: false, isDryRun: false };
    expect(await meanwhile(rebuild({ ...rows, differences, decide, observer, signal }))).to.have.nested.property(
      'right.outcome',
      'Switched',
    );
    const rebuilt = storage.liveGeneration('businesses')?.name;
    await clock.advance(2 * A_WHILE_MS);
    expect(storage.liveGeneration('businesses')?.name).to.equal(rebuilt);
    expect(await timed(progress.waitFor(await business('Bolt')))).to.deep.equal([true, 0]);
  });

  it('take up rebuilt rows at once, and those that they go back to: no write waits longer than its answer does', async () => {
    const { progress, queries } = start('serving');
    const id = randomUUID();
    await append(store, `business-${id}`, 0n, created('0'));
    await clock.advance(A_WHILE_MS);
    let revision = 0;
    let isDone = false;
    const over = (): boolean => isDone;
    const stale: Array<number> = [];
    const write = async (): Promise<void> => {
      while (!over()) {
        revision += 1;
        const position = await append(store, `business-${id}`, BigInt(revision), renamed(String(revision)));
        const isShown = await progress.waitFor(position);
        const row = orThrow(await queries.of(businesses).byId(id));
        if (!isShown || O.toUndefined(row)?.revision !== BigInt(revision)) stale.push(revision);
        await clock.sleep(50);
      }
    };
    const { signal } = new AbortController();
    const shared = { runtime, storage, store, projection: businesses, signal };
    const outcomes: Array<string> = [];
    const replace = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        const rebuilt = await rebuild({
          ...shared,
          isFromScratch: false,
          differences: { keep: 3, onDifference: () => Promise.resolve() },
          decide: () => Promise.resolve('switch'),
          observer,
        });
        outcomes.push(orThrow(rebuilt).outcome);
        await clock.sleep(A_WHILE_MS);
        orThrow(await rollBack(shared));
        await clock.sleep(A_WHILE_MS);
      }
      isDone = true;
    };
    await meanwhile(Promise.all([write(), replace()]));
    expect([outcomes, stale]).to.deep.equal([['Switched', 'Switched', 'Switched'], []]);
    expect(revision).to.be.above(100);
  });
});
