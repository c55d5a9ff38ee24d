import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import pg from 'pg';
import { projectionsOf, registry } from '../../src/entities/registry.js';
import { businesses } from '../../projections/businesses.js';
import { documents } from '../../projections/documents.js';
import type { Compared } from '../../projections/engine/rebuild/compare-with-live.js';
import type { Difference } from '../../projections/engine/rebuild/difference.js';
import { rebuild, type RebuildOptions, type Rebuilt } from '../../projections/engine/rebuild/rebuild.js';
import { rollBack } from '../../projections/engine/rebuild/rollback.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Position } from '../../src/event-sourcing/recorded-event.js';
import { orThrow } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type Lookout, makeLookout } from '../support/lookout.js';
import { untilShown } from '../support/until-shown.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { append, created, deleted, renamed } from './appending.js';
import { businessHistory, documentHistory } from './histories.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage, storageIn } from '../support/read-model-storage.js';

const ENTITIES = 200;
const PLANTED = 37;

describe('rebuilding a read model', function () {
  this.timeout(startingPostgres);
  let connectionString: string;
  let store: EventStore;
  let pool: pg.Pool;
  let running: Array<Projections>;
  let lookout: Lookout;

  beforeEach(async () => {
    lookout = makeLookout();
    connectionString = await freshDatabase();
    store = makeInMemoryEventStore();
    pool = new pg.Pool({ connectionString, max: 8 });
    running = [];
  });

  afterEach(async () => {
    await Promise.all(running.map((projections) => projections.stop()));
    await pool.end();
  });

  const serve = (windowMs = 60_000): Projections => {
    const projections = startProjections({
      runtime: { ...systemRuntime, clock: lookout.onClock(systemRuntime.clock) },
      projections: projectionsOf(registry),
      store: lookout.on(store),
      storage: lookout.on(ownStorage(connectionString)),
      projector: true,
      isSoleProcess: false,
      rollbackWindowMs: windowMs,
      onEvent: () => undefined,
    });
    running.push(projections);
    return projections;
  };

  const shows = async (service: Projections, position: Position): Promise<void> => {
    expect(await untilShown(service.byName('businesses').progress, position)).to.equal(true);
  };

  /** Whole histories, their events interleaved. */
  const live = async (): Promise<void> => {
    const service = serve();
    const histories = [
      ...fc.sample(businessHistory, { numRuns: ENTITIES, seed: 1 }).map((events) => ({ category: 'business', events })),
      ...fc.sample(documentHistory, { numRuns: ENTITIES, seed: 2 }).map((events) => ({ category: 'document', events })),
    ].map(({ category, events }) => ({ stream: `${category}-${randomUUID()}` as const, events }));
    let last: Position = -1n;
    for (let revision = 0; histories.some(({ events }) => events.length > revision); revision += 1)
      for (const { stream, events } of histories) {
        const event = events[revision];
        if (event !== undefined) last = await append(store, stream, BigInt(revision), event);
      }
    await shows(service, last);
    expect(await untilShown(service.byName('documents').progress, last)).to.equal(true);
  };

  const run = (over: Partial<RebuildOptions> = {}) => {
    const differences: Array<Difference> = [];
    const options = {
      runtime: systemRuntime,
      storage: storageIn(pool),
      store,
      isFromScratch: false,
      differences: {
        keep: 3,
        onDifference: (difference: Difference) => Promise.resolve(void differences.push(difference)),
      },
      decide: () => Promise.resolve('switch' as const),
      observer: {
        onOpened: () => undefined,
        onChunksLoaded: () => undefined,
        onProgress: () => undefined,
        onBuilt: () => undefined,
      },
      signal: new AbortController().signal,
      ...over,
    };
    return { differences, options };
  };

  const rebuildBusinesses = async (over: Partial<RebuildOptions> = {}): Promise<Rebuilt> =>
    orThrow(await rebuild({ ...run(over).options, projection: businesses }));

  const countsOf = ({ rows, onlyLive, onlyRebuilt, differing }: Compared) => ({
    rows,
    onlyLive,
    onlyRebuilt,
    differing,
  });

  const bodies = async (): Promise<ReadonlyArray<string | null>> =>
    (await pool.query<{ body: string | null }>('select body from read_model.businesses order by place')).rows.map(
      ({ body }) => body,
    );

  const roles = async (): Promise<ReadonlyArray<string>> =>
    (
      await pool.query<{ role: string }>(
        `select role from read_model.instance where projection = 'businesses' order by created_at`,
      )
    ).rows.map(({ role }) => role);

  it('makes the same rows as the live ones from a varied history', async () => {
    await live();
    const before = await bodies();
    const rebuilt = [
      await rebuildBusinesses(),
      orThrow(await rebuild({ ...run().options, projection: documents })),
    ].map(({ compared, outcome }) => compared && { ...countsOf(compared), outcome });
    const count = async (view: string): Promise<number> =>
      Number((await pool.query<{ count: string }>(`select count(*) from read_model.${view}`)).rows[0]?.count);
    const same = (rows: number) => ({
      rows: { live: rows, rebuilt: rows },
      onlyLive: 0,
      onlyRebuilt: 0,
      differing: 0,
      outcome: 'Switched',
    });
    expect(rebuilt).to.deep.equal([same(await count('businesses')), same(await count('documents'))]);
    expect([await bodies(), await roles()]).to.deep.equal([before, ['previous', 'live']]);
  });

  it('finds exactly the rows that a wrong projector has changed, and keeps what was built', async () => {
    await live();
    await pool.query(
      `update read_model.businesses set body = (body::jsonb || '{"city":"wrong"}')::text
       where id in (select id from read_model.businesses where body is not null order by place limit ${PLANTED})`,
    );
    const { differences, options } = run({ decide: () => Promise.resolve('keep') });
    const { compared, outcome } = orThrow(await rebuild({ ...options, projection: businesses }));
    const fields = differences.map((difference) => difference._tag === 'Differs' && difference.fields);
    expect(compared && { ...countsOf(compared), rows: undefined, first: compared.first.length }).to.deep.equal({
      rows: undefined,
      onlyLive: 0,
      onlyRebuilt: 0,
      differing: PLANTED,
      first: 3,
    });
    expect(fields).to.deep.equal(Array.from({ length: PLANTED }, () => ['body.city']));
    expect([outcome, await roles()]).to.deep.equal(['Kept', ['live', 'building']]);
  });

  it('finds rows that only one side has', async () => {
    const service = serve();
    const ids = [randomUUID(), randomUUID()];
    let last: Position = -1n;
    for (const id of ids) last = await append(store, `business-${id}`, 0n, created('Acme'));
    await shows(service, last);
    await pool.query('delete from read_model.businesses where id = $1', [ids[0]]);
    const stranger = randomUUID();
    await pool.query(
      `insert into read_model.businesses (id, place, revision, parked, body) values ($1, 9, 0, false, 'no JSON')`,
      [stranger],
    );
    const { differences, options } = run({ decide: () => Promise.resolve('drop') });
    await rebuild({ ...options, projection: businesses });
    expect(new Map(differences.map(({ _tag, id }) => [id, _tag]))).to.deep.equal(
      new Map([
        [ids[0], 'OnlyRebuilt'],
        [stranger, 'OnlyLive'],
      ]),
    );
    expect(await roles()).to.deep.equal(['live']);
  });

  it('is taken up by the service at once, which shows every later write', async () => {
    const service = serve();
    const id = randomUUID();
    await shows(service, await append(store, `business-${id}`, 0n, created('0')));
    let revision = 0;
    let isDone = false;
    const stale: Array<number> = [];
    const over = (): boolean => isDone;
    const writing = (async () => {
      while (!over()) {
        revision += 1;
        const position = await append(store, `business-${id}`, BigInt(revision), renamed(String(revision)));
        await shows(service, position);
        const [body] = await bodies();
        if (body?.includes(`"name":"${revision}"`) !== true) stale.push(revision);
      }
    })();
    const outcomes: Array<string> = [];
    for (let round = 0; round < 3; round += 1) {
      outcomes.push((await rebuildBusinesses()).outcome);
      await rollBack({
        runtime: systemRuntime,
        storage: storageIn(pool),
        store,
        projection: businesses,
        signal: new AbortController().signal,
      });
    }
    isDone = true;
    await writing;
    expect([outcomes, stale]).to.deep.equal([['Switched', 'Switched', 'Switched'], []]);
  });

  it('keeps the previous rows from getting ahead of the live ones, also when the log ends with events of other categories', async () => {
    const service = serve();
    const streams = [`business-${randomUUID()}`, `other-${randomUUID()}`] as const;
    for (const stream of streams) {
      const position = await append(store, stream, 0n, created('Acme'));
      await shows(service, position);
    }
    const projecting = (): string | undefined => {
      const { projector } = service.byName('businesses').status();
      return projector._tag === 'Projecting' ? projector.generation : undefined;
    };
    const first = projecting();
    await rebuildBusinesses();
    await lookout.until(projecting, (generation) => generation !== undefined && generation !== first);
    const went = await rollBack({
      runtime: systemRuntime,
      storage: storageIn(pool),
      store,
      projection: businesses,
      signal: new AbortController().signal,
    });
    expect(went._tag).to.equal('Right');
  });

  it('keeps the previous rows up to date, so that a rollback reads no event', async () => {
    const service = serve();
    const id = randomUUID();
    await shows(service, await append(store, `business-${id}`, 0n, created('Acme')));
    await rebuildBusinesses();
    const last = await append(store, `business-${id}`, 1n, renamed('Acme 2'), deleted);
    await shows(service, last);
    const previous = async (): Promise<string | undefined> =>
      (
        await pool.query<{ at: string }>(
          `select checkpoint_commit as at from read_model.instance where role = 'previous' and projection = 'businesses'`,
        )
      ).rows[0]?.at;
    await lookout.until(previous, (at) => at === String(last));
    let read = 0;
    const watched: EventStore = {
      ...store,
      async *readAll(range) {
        for await (const batch of store.readAll(range)) {
          read += batch.events.length;
          yield batch;
        }
      },
    };
    await rollBack({
      runtime: systemRuntime,
      storage: storageIn(pool),
      store: watched,
      projection: businesses,
      signal: new AbortController().signal,
    });
    expect(read).to.equal(0);
    expect([await bodies(), await roles()]).to.deep.equal([[null], ['live', 'previous']]);
  });

  it('has nothing to roll back to when nothing was replaced, or the time for it is over', async () => {
    const service = serve(0);
    await shows(service, await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    const goingBack = async (): Promise<unknown> => {
      const { signal } = new AbortController();
      const outcome = await rollBack({
        runtime: systemRuntime,
        storage: storageIn(pool),
        store,
        projection: businesses,
        signal,
      });
      return E.isLeft(outcome) ? outcome.left._tag : outcome.right;
    };
    expect(await goingBack()).to.equal('NotAllowed');
    await Promise.all(running.splice(0).map((projections) => projections.stop()));
    await rebuildBusinesses();
    serve(0);
    expect(await lookout.until(roles, ({ length }) => length === 1)).to.deep.equal(['live']);
    expect(await goingBack()).to.equal('NotAllowed');
  });

  /** The ways to read a log: by stream where the store offers it, else by position. */
  const ways: Readonly<Record<string, (given: EventStore) => EventStore>> = {
    'by stream': (given) => given,
    'by position': ({ byStream: _, ...given }) => given,
  };

  /** The same log, which calls `onPage` after each page of it that was read, however it is read. */
  const reportingPages = (given: EventStore, onPage: () => void): EventStore => {
    async function* eachReported<A>(pages: AsyncIterable<A>): AsyncGenerator<A> {
      for await (const page of pages) {
        yield page;
        onPage();
      }
    }
    const { byStream } = given;
    return {
      ...given,
      readAll: (range) => eachReported(given.readAll(range)),
      ...(byStream && {
        byStream: {
          divide: (category) => byStream.divide(category, 100),
          read: (chunk, upTo) => eachReported(byStream.read(chunk, upTo)),
        },
      }),
    };
  };

  for (const [way, reading] of Object.entries(ways)) {
    it(`goes on after an end at any moment, and leaves the live rows alone: ${way}`, async () => {
      await live();
      const before = await bodies();
      const pages: Array<string> = [];
      for (const after of [1, 2]) {
        const ending = new AbortController();
        let count = 0;
        const once = reportingPages(reading(store), () => {
          count += 1;
          if (count === after) ending.abort();
        });
        const ended = await rebuildBusinesses({ store: once, signal: ending.signal }).catch((error: unknown) => error);
        expect('outcome' in Object(ended)).to.equal(false);
        pages.push((await roles()).join());
        expect(await bodies()).to.deep.equal(before);
      }
      const { compared, outcome } = await rebuildBusinesses({ store: reading(store) });
      expect([pages, outcome, compared?.differing]).to.deep.equal([['live,building', 'live,building'], 'Switched', 0]);
      expect(await bodies()).to.deep.equal(before);
    });

    it(`makes the same rows, and parks the same entities: ${way}`, async () => {
      await live();
      const unknown = { type: 'BusinessSold', data: {} };
      await append(store, `business-${randomUUID()}`, 0n, created('before'), unknown, renamed('after'));
      await append(store, `business-${randomUUID()}`, 0n, created('NUL', { ein: 'a\0b' }));
      await append(store, 'business-7', 0n, created('without a row'), renamed('still'));
      const parkedOf = async (role: string) =>
        (
          await pool.query<{ readonly waiting: string }>(
            `select stream, revision, event_id, error, waiting from read_model.parked
             join read_model.instance using (table_name) where role = $1 order by stream`,
            [role],
          )
        ).rows;
      const { right: head } = (await store.head(['business'])) as { readonly right: Position };
      const [service] = running;
      expect(await untilShown(service!.byName('businesses').progress, head)).to.equal(true);
      const lived = await parkedOf('live');
      expect(lived.map(({ waiting }) => Number(waiting)).toSorted()).to.deep.equal([1, 2, 2]);
      const { compared } = await rebuildBusinesses({ store: reading(store) });
      expect(compared && countsOf(compared)).to.include({ onlyLive: 0, onlyRebuilt: 0, differing: 0 });
      expect(await parkedOf('live')).to.deep.equal(lived);
    });
  }

  it('goes on from what it has written when a row is rejected later', async () => {
    const MORE_THAN_ARE_PARKED_AT_ONCE = 1_100;
    for (let count = 0; count < MORE_THAN_ARE_PARKED_AT_ONCE; count += 1)
      await append(store, `business-${randomUUID()}`, 0n, { type: 'BusinessSold', data: {} });
    await append(store, `business-${randomUUID()}`, 0n, created('NUL', { ein: 'a\0b' }));
    await rebuildBusinesses({ store: ways['by position']!(store) });
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from read_model.parked');
    expect(rows).to.deep.equal([{ count: MORE_THAN_ARE_PARKED_AT_ONCE + 1 }]);
  });

  it('loads what an ended rebuild has not loaded, and nothing twice', async () => {
    await live();
    const ending = new AbortController();
    const read = new Map<string, number>();
    const counting = (given: EventStore, most: number): EventStore => ({
      ...given,
      byStream: {
        divide: (category) => given.byStream!.divide(category, 50),
        read: (chunk, upTo) => {
          const key = chunk.from ?? '';
          if (read.size === most) ending.abort();
          else read.set(key, (read.get(key) ?? 0) + 1);
          return given.byStream!.read(chunk, upTo);
        },
      },
    });
    await rebuildBusinesses({ store: counting(store, 5), signal: ending.signal }).catch(() => undefined);
    expect(read.size).to.equal(5);
    const { compared } = await rebuildBusinesses({ store: counting(store, Infinity) });
    expect(compared && countsOf(compared)).to.include({ onlyLive: 0, onlyRebuilt: 0, differing: 0 });
    expect([...read.values()].filter((times) => times !== 1)).to.deep.equal([]);
    expect(read.size).to.be.above(5);
  });

  it('deletes nothing of what another command goes on with', async () => {
    await append(store, `business-${randomUUID()}`, 0n, created('NUL', { ein: 'a\0b' }));
    const { byStream, ...others } = store;
    async function* takenOver(...[chunk, upTo]: Parameters<NonNullable<EventStore['byStream']>['read']>) {
      await pool.query(`update read_model.lease set holder = 'another', fencing = fencing + 1`);
      yield* byStream!.read(chunk, upTo);
    }
    const overtaken = { ...others, byStream: { ...byStream!, read: takenOver } };
    expect(await rebuildBusinesses({ store: overtaken }).catch((error: unknown) => error)).to.include({
      _tag: 'LeaseLost',
    });
    expect((await pool.query('select from read_model.stretch')).rowCount).to.equal(1);
  });

  it('changes nothing as a dry run, however it ends: what an earlier one has kept stays', async () => {
    await live();
    const { generation: kept } = await rebuildBusinesses({ decide: () => Promise.resolve('keep') });
    const tables = async (): Promise<ReadonlyArray<string>> =>
      (
        await pool.query<{ name: string }>('select table_name as name from read_model.instance order by created_at')
      ).rows.map(({ name }) => name);
    const before = await tables();
    expect(before).to.include(kept);
    for (const isFromScratch of [false, true]) {
      const dry = await rebuildBusinesses({ isDryRun: true, isFromScratch });
      expect([dry.outcome, await tables()]).to.deep.equal(['Dropped', before]);
    }
    const failure = new Error('asked in vain');
    const failed = await rebuildBusinesses({ isDryRun: true, decide: () => Promise.reject(failure) }).catch(
      (error: unknown) => error,
    );
    expect([failed, await tables()]).to.deep.equal([failure, before]);
  });

  it('fails while another command rebuilds', async () => {
    await live();
    const others: Array<unknown> = [];
    const other = async (over: Partial<RebuildOptions>): Promise<void> => {
      others.push(await rebuildBusinesses(over).catch((error: unknown) => error));
    };
    const impatient = AbortSignal.timeout(300);
    await rebuildBusinesses({
      decide: async () => {
        await Promise.all([other({}), other({ signal: impatient })]);
        return 'drop';
      },
    });
    expect(others[0]).to.equal(impatient.reason);
    expect(others[1]).to.include({ _tag: 'LeaseLost' });
  });
});
