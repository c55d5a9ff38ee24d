import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { ledgerOf, projectionsOf, readModelsOf, registry } from '../../src/entities/registry.js';
import { businesses } from '../../projections/businesses.js';
import { readWritableLive } from '../../projections/engine/generation/writable-live.js';
import { operationsOn, type Operations } from '../../projections/engine/operations.js';
import type { EngineEvent } from '../../projections/engine/engine-event.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import { type Drift, findDrifts } from '../../projections/engine/verify/find-drift.js';
import type { FoundDrift } from '../../projections/engine/verify/known-drifts.js';
import { watchDrift } from '../../projections/engine/verify/watch-drift.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { checkpointAt, type NewEvent, type StreamName } from '../../src/event-sourcing/recorded-event.js';
import { UnreadableDecision } from '../../src/event-sourcing/operators/unreadable-decision.js';
import { keepChainEnds } from '../../src/event-sourcing/whole-log/keep-chain-ends.js';
import { verifyStream } from '../../src/event-sourcing/whole-log/verify-log.js';
import { orThrow } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { oneKey } from '../support/event-keys.js';
import { type Lookout, makeLookout } from '../support/lookout.js';
import { untilShown } from '../support/until-shown.js';
import { pageOf } from '../support/page-of.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { append, created, renamed, sealed } from './appending.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage, storageIn } from '../support/read-model-storage.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';

const idAt = (index: number): string => `0198f000-0000-7000-8000-00000000000${index}`;
const streamAt = (index: number): StreamName => `business-${idAt(index)}`;
const MANY_PAUSES = 20;

/** A comparison that takes long, as where a machine stands still, is followed by a pause of twenty times as long. */
const LONGEST_PAUSE_MS = 90_000;
const tagged = (name: string, ...tags: ReadonlyArray<string>) => ({
  type: 'DocumentCreated',
  data: {
    name,
    description: null,
    type: 'Document',
    entityType: 'Business',
    entity: null,
    tags,
    file: { key: randomUUID(), size: 1, sha256: '0'.repeat(64), mimeType: 'text/plain', originalName: 'a' },
  },
});

describe("an operator's work on the read models", function () {
  this.timeout(startingPostgres);

  let connectionString: string;
  let store: EventStore;
  let database: pg.Pool;
  let storage: ReadModelStorage;
  let operations: Operations;
  let running: Array<Projections>;
  let events: Array<EngineEvent>;
  let lookout: Lookout;

  beforeEach(async () => {
    lookout = makeLookout();
    connectionString = await freshDatabase();
    store = makeInMemoryEventStore();
    database = new pg.Pool({ connectionString, max: 3 });
    storage = storageIn(database);
    operations = orThrow(await operationsOn(systemRuntime, store, storage, projectionsOf(registry), oneKey));
    running = [];
    events = [];
  });

  afterEach(async () => {
    await Promise.all(running.map((projections) => projections.stop()));
    await database.end();
  });

  const start = (): Projections => {
    const projections = startProjections({
      runtime: { ...systemRuntime, clock: lookout.onClock(systemRuntime.clock) },
      projections: readModelsOf(registry),
      store: lookout.on(store),
      storage: lookout.on(ownStorage(connectionString)),
      projector: true,
      isSoleProcess: false,
      rollbackWindowMs: 60_000,
      onEvent: (event) => events.push(event),
    });
    running.push(projections);
    return projections;
  };

  const show = async (
    projections: Projections,
    position: bigint,
    readModel: 'businesses' | 'documents' = 'businesses',
  ) => expect(await untilShown(projections.byName(readModel).progress, position)).to.equal(true);

  const haveStarted = (): boolean =>
    running.every((projections) => projections.all.every(({ status }) => status().projector._tag !== 'Starting'));

  const drifts = async (sample?: number): Promise<ReadonlyArray<Drift>> => {
    // a read model that nobody waits for may not have rows yet
    await lookout.until(haveStarted);
    const found: Array<Drift> = [];
    for (const { verify } of operations.readModels)
      await verify({
        sample,
        onDrift: (drift) => Promise.resolve(void found.push(drift)),
        onChecked: () => undefined,
        signal: new AbortController().signal,
      });
    return found;
  };

  const repair = async (stream: StreamName, options?: { readonly acceptsShorterHistory: boolean }) =>
    orThrow(await operations.showing(stream)!.repair(stream, options));

  const nameOf = async (id: string): Promise<string | undefined> => {
    const { rows } = await database.query<{ name: string }>('select name from read_model.businesses where id = $1', [
      id,
    ]);
    return rows[0]?.name;
  };

  const recordSkip = async (stream: StreamName, actor = 'olga') => {
    const parked = await operations.findParked(stream);
    if (parked === undefined) throw new Error(`${stream} is not parked`);
    return operations
      .showing(stream)!
      .recordSkip(parked, { actor, reason: 'made by a broken client', at: new Date('2026-05-06T07:08:09.000Z') });
  };

  it('finds each kind of drift with the fields that differ, and repairs it while the projector runs', async () => {
    const projections = start();
    for (const index of [1, 2, 3, 4]) await append(store, streamAt(index), 0n, created(`No ${index}`, { ein: '1' }));
    await show(projections, await append(store, streamAt(5), 0n, created('No 5')));
    const tags = ['a', 'b "c"', 'd\\e', 'NULL', ''];
    await append(store, `document-${idAt(6)}`, 0n, tagged('Paper', ...tags));
    await show(projections, await append(store, `document-${idAt(7)}`, 0n, tagged('Untagged')), 'documents');
    expect(await drifts()).to.deep.equal([]);

    await database.query(`update read_model.businesses set body = replace(body, 'No 1', 'No I') where id = $1`, [
      idAt(1),
    ]);
    await database.query('update read_model.businesses set revision = 7, ein = $2 where id = $1', [idAt(2), '2']);
    await database.query('delete from read_model.businesses where id = $1', [idAt(3)]);
    await database.query('update read_model.businesses set id = $2 where id = $1', [idAt(4), idAt(9)]);
    await database.query(`update read_model.documents set tags = '{"a,b"}' where id = $1`, [idAt(6)]);
    const found = await drifts();
    expect(found).to.have.deep.members([
      { stream: streamAt(1), id: idAt(1), kind: 'differs', fields: ['body.name'] },
      { stream: streamAt(2), id: idAt(2), kind: 'ahead', fields: [], shown: 7n, newest: 0n },
      { stream: streamAt(3), id: idAt(3), kind: 'missing', fields: [] },
      { stream: streamAt(4), id: idAt(4), kind: 'missing', fields: [] },
      { stream: streamAt(9), id: idAt(9), kind: 'ahead', fields: [], shown: 0n, newest: 'no-stream' },
      { stream: `document-${idAt(6)}`, id: idAt(6), kind: 'differs', fields: ['tags'] },
    ]);

    for (const { stream, kind } of found)
      expect((await repair(stream))._tag).to.equal(kind === 'ahead' ? 'Ahead' : 'Projected');
    expect((await drifts()).map(({ stream }) => stream)).to.have.members([streamAt(2), streamAt(9)]);
    for (const index of [2, 9])
      expect(await repair(streamAt(index), { acceptsShorterHistory: true })).to.deep.equal({ _tag: 'Projected' });
    expect(await drifts()).to.deep.equal([]);
    await append(store, streamAt(3), 1n, renamed('Back'));
    await show(projections, await append(store, streamAt(2), 1n, renamed('Straight')));
    expect([await nameOf(idAt(3)), await nameOf(idAt(2))]).to.deep.equal(['Back', 'Straight']);
    expect(await drifts()).to.deep.equal([]);
  });

  it('names a missing row once, however many events its stream has', async () => {
    const projections = start();
    const last = await append(store, streamAt(1), 0n, created('Acme'), renamed('Acme 2'), renamed('Acme 3'));
    await show(projections, last);
    await database.query('delete from read_model.businesses');
    expect(await drifts()).to.deep.equal([{ stream: streamAt(1), id: idAt(1), kind: 'missing', fields: [] }]);
  });

  it('compares as many rows as are asked for, and none of them twice', async () => {
    const projections = start();
    for (const index of [1, 2, 3, 4]) await append(store, streamAt(index), 0n, created(`No ${index}`));
    await show(projections, await append(store, streamAt(5), 0n, created('No 5')));
    await database.query(`update read_model.businesses set name = 'other'`);
    expect(await drifts(3)).to.have.length(3);
  });

  it('does not take a row for drifted that is only behind the log', async () => {
    const projections = start();
    await show(projections, await append(store, streamAt(1), 0n, created('Acme')));
    await projections.stop();
    await append(store, streamAt(1), 1n, renamed('Acme & Co'));
    await append(store, streamAt(2), 0n, created('Bolt'));
    expect(await drifts()).to.deep.equal([]);
  });

  it('never finds drift, and leaves none, while rows are written and repaired all the time', async () => {
    const projections = start();
    let position = 0n;
    for (const index of [1, 2, 3]) position = await append(store, streamAt(index), 0n, created('0'));
    await show(projections, position);
    const write = async (): Promise<void> => {
      for (let revision = 1n; revision <= 60n; revision += 1n)
        for (const index of [1, 2, 3]) {
          position = await append(store, streamAt(index), revision, renamed(`${revision}`));
          if (revision % 20n === 0n) await projections.byName('businesses').progress.waitFor(position);
        }
    };
    const writing = write();
    for (let round = 0; round < 5; round += 1) {
      expect(await drifts()).to.deep.equal([]);
      await repair(streamAt(1));
    }
    await writing;
    await show(projections, position);
    expect(await Promise.all([1, 2, 3].map((index) => nameOf(idAt(index))))).to.deep.equal(['60', '60', '60']);
    expect(await drifts()).to.deep.equal([]);
    expect(await operations.listParked(10)).to.deep.equal([]);
  });

  it('lets nobody write what was read before an entity was repaired', async () => {
    const projections = start();
    await show(projections, await append(store, streamAt(1), 0n, created('Acme')));
    await projections.stop();
    const generation = await readWritableLive(storage, businesses);
    const lease = await storage.acquire(generation.name, 'the projector', true);
    if (lease === undefined || generation.checkpoint === 'start') throw new Error('nothing to write');
    const { step } = storage.entityRows({ projection: businesses, generation, lease, notifies: false });
    const nowhere = { from: generation.checkpoint, to: generation.checkpoint, last: undefined };
    expect(await step(nowhere)).to.equal('live');
    const written: Array<unknown> = [];
    const gated: EventStore = {
      ...store,
      readStream: async function* (stream, range) {
        if (stream === streamAt(1)) written.push(await step(nowhere));
        yield* store.readStream(stream, range);
      },
    };
    const onGated = orThrow(await operationsOn(systemRuntime, gated, storage, projectionsOf(registry)));
    // whoever recognises the log has read the stream, too
    written.length = 0;
    const repaired = await onGated.showing(streamAt(1))!.repair(streamAt(1), { acceptsShorterHistory: true });
    expect([repaired, written]).to.deep.equal([E.right({ _tag: 'Projected' }), [undefined]]);
    expect(await step(nowhere)).to.equal(undefined);
  });

  it('repairs an entity up to where the rows are once nobody else writes them', async () => {
    const projections = start();
    await show(projections, await append(store, streamAt(1), 0n, created('Acme')));
    const meanwhile: ReadModelStorage = {
      ...storage,
      acquire: async (...wanted) => {
        await show(projections, await append(store, streamAt(1), 1n, renamed('Acme 2')));
        return storage.acquire(...wanted);
      },
    };
    const onGuarded = orThrow(await operationsOn(systemRuntime, store, meanwhile, projectionsOf(registry)));
    const repaired = await onGuarded.showing(streamAt(1))!.repair(streamAt(1));
    expect([repaired, await nameOf(idAt(1))]).to.deep.equal([E.right({ _tag: 'Projected' }), 'Acme 2']);
    expect(await drifts()).to.deep.equal([]);
  });

  it('folds an entity again when a batch that was under way has moved the rows', async () => {
    const projections = start();
    await show(projections, await append(store, streamAt(1), 0n, created('Acme')));
    await projections.stop();
    const last = await append(store, streamAt(1), 1n, renamed('Acme 2'));
    const outcomes: Array<unknown> = [];
    const underWay: ReadModelStorage = {
      ...storage,
      rewrite: async (writer, at, row) => {
        if (outcomes.length === 0) {
          const { step } = storage.entityRows(writer);
          await step({ from: at, to: checkpointAt(last), last: undefined });
        }
        const outcome = await storage.rewrite(writer, at, row);
        outcomes.push(outcome);
        return outcome;
      },
    };
    const onMoving = orThrow(await operationsOn(systemRuntime, store, underWay, projectionsOf(registry)));
    const repaired = await onMoving.showing(streamAt(1))!.repair(streamAt(1));
    expect([repaired, outcomes]).to.deep.equal([E.right({ _tag: 'Projected' }), ['Moved', 'Written']]);
    expect(await nameOf(idAt(1))).to.equal('Acme 2');
  });

  const poison = async (index: number): Promise<NewEvent> => {
    const bad = sealed(renamed('From the future'), streamAt(index), 1n, 99);
    await append(store, streamAt(index), 0n, created('Bad'), bad);
    return bad;
  };

  it('shows a parked entity with the event that holds it up, while all others are projected', async () => {
    const projections = start();
    const bad = await poison(1);
    await append(store, streamAt(1), 2n, renamed('Later'));
    await show(projections, await append(store, streamAt(2), 0n, created('Good')));
    expect(await nameOf(idAt(2))).to.equal('Good');
    const [parked, ...others] = await operations.listParked(10);
    expect(others).to.deep.equal([]);
    const { since, codeVersion, position, ...rest } = parked!;
    expect(rest).to.deep.equal({
      projection: 'businesses',
      stream: streamAt(1),
      revision: 1n,
      eventId: bad.id,
      error: 'schema version 99 is newer than this program',
      waiting: 2,
    });
    expect([since, codeVersion]).to.satisfy(
      ([at, version]: [Date, string]) => at <= new Date() && version.length === 12,
    );
    expect(await operations.readEvent(parked!)).to.deep.equal({ ...bad, stream: streamAt(1), revision: 1n, position });
    expect(await drifts()).to.deep.equal([]);
  });

  it('keeps an entity parked that still cannot be projected, and projects it again when it can', async () => {
    const projections = start();
    await show(projections, await append(store, streamAt(1), 0n, created('Acme')));
    const { rows } = await database.query<{ name: string }>(
      `select table_name as name from read_model.instance where projection = 'businesses'`,
    );
    const table = `read_model.${rows[0]!.name}`;
    await database.query(`alter table ${table} add constraint picky check (name <> 'Bad')`);
    await append(store, streamAt(1), 1n, renamed('Fine'), renamed('Bad'), renamed('Good'), renamed('Bad'));
    await lookout.until(() => operations.findParked(streamAt(1)));
    const refused = await repair(streamAt(1));
    expect(refused._tag === 'Parked' && [refused.event.revision, refused.reason.slice(0, 21)]).to.deep.equal([
      2n,
      'the row was rejected:',
    ]);
    expect((await operations.findParked(streamAt(1)))?.waiting).to.equal(3);
    expect(await nameOf(idAt(1))).to.equal('Fine');
    expect(await drifts()).to.deep.equal([]);
    await show(projections, await append(store, streamAt(2), 0n, created('Other')));
    await database.query(`alter table ${table} drop constraint picky`);
    expect(await repair(streamAt(1))).to.deep.equal({ _tag: 'Projected' });
    await show(projections, await append(store, streamAt(1), 5n, renamed('Mended')));
    expect(await nameOf(idAt(1))).to.equal('Mended');
    expect(await operations.listParked(10)).to.deep.equal([]);
  });

  it('records a decision to skip as a sealed event, goes on without that event, and honours it in every later fold', async () => {
    const projections = start();
    const bad = await poison(1);
    await append(store, streamAt(1), 2n, renamed('Later'));
    await poison(2);
    await show(projections, await append(store, streamAt(3), 0n, created('Good')));
    expect(await recordSkip(streamAt(1))).to.deep.equal(E.right(true));
    expect(await recordSkip(streamAt(1), 'otto')).to.deep.equal(E.right(false));
    expect(await recordSkip(streamAt(2))).to.deep.equal(E.right(true));
    expect(await repair(streamAt(1))).to.deep.equal({ _tag: 'Projected' });
    expect(await nameOf(idAt(1))).to.equal('Later');
    await show(projections, await append(store, streamAt(1), 3n, renamed('Latest')));
    expect(await nameOf(idAt(1))).to.equal('Latest');
    expect(await drifts()).to.deep.equal([]);

    const recorded = [];
    for await (const page of store.readStream('operations-businesses', { direction: 'forwards' }))
      recorded.push(...page);
    expect(recorded.map(({ type }) => type)).to.deep.equal(['ProjectionEventSkipped', 'ProjectionEventSkipped']);
    expect(JSON.parse(recorded[0]!.data)).to.deep.equal({
      projection: 'businesses',
      stream: streamAt(1),
      revision: 1,
      eventId: bad.id,
      reason: 'made by a broken client',
    });
    expect(JSON.parse(recorded[0]!.metadata)).to.include({ actor: 'olga', at: '2026-05-06T07:08:09.000Z' });
    const ignore = (): void => undefined;
    const callbacks = { onFault: ignore, onPage: ignore };
    const quiet = () => ({
      ...{ keys: [oneKey], ...callbacks, signal: new AbortController().signal },
      chainEnds: keepChainEnds(systemRuntime.random),
    });
    expect(await verifyStream(store, 'operations-businesses', quiet())).to.include({
      events: 2,
      broken: 0,
      withMac: 2,
      macFaults: 0,
    });
    const edited = recorded.map((event) => ({ ...event, data: event.data.replace('broken client', 'careful hand') }));
    const tampered = {
      readStream: async function* () {
        await Promise.resolve();
        yield pageOf(edited);
      },
    };
    expect(await verifyStream({ ...store, ...tampered }, 'operations-businesses', quiet())).to.include({ broken: 1 });

    await projections.stop();
    await database.query('drop schema read_model cascade');
    const anew = start();
    await show(anew, await append(store, streamAt(2), 2n, renamed('Second')));
    expect([await nameOf(idAt(1)), await nameOf(idAt(2))]).to.deep.equal(['Latest', 'Second']);
    expect(await operations.listParked(10)).to.deep.equal([]);
  });

  it('ends at a decision that cannot be read, and says once which one it is', async () => {
    await append(store, 'operations-businesses', 0n, { type: 'ProjectionEventSkipped', data: { projection: 'x' } });
    const faults = (): ReadonlyArray<EngineEvent> =>
      events.filter(({ _tag, projection }) => _tag === 'Fault' && projection === 'businesses');
    const { readStream } = store;
    let tries = 0;
    store = {
      ...store,
      readStream: (stream, range) => {
        if (stream === 'operations-businesses') tries += 1;
        return readStream(stream, range);
      },
    };
    start();
    const sentence =
      /^operations-businesses, revision 0 \(event \S+\), cannot be read as a decision of operators by this program: no version of it records such a one\. See ops log verify$/;
    await lookout.until(() => tries > 3);
    expect(faults()).to.have.length(1);
    expect(faults()[0]).to.have.nested.property('cause.message').that.matches(sentence);
    const failed = await drifts().catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(UnreadableDecision).with.property('message').that.matches(sentence);
  });

  it('records what two operators decide at the same moment', async () => {
    const projections = start();
    await poison(1);
    await poison(2);
    await show(projections, await append(store, streamAt(3), 0n, created('Good')));
    let isDecided = false;
    const shared: EventStore = {
      ...store,
      append: async (...appended) => {
        if (!isDecided) {
          isDecided = true;
          expect(await recordSkip(streamAt(2), 'otto')).to.deep.equal(E.right(true));
        }
        return store.append(...appended);
      },
    };
    const onShared = orThrow(await operationsOn(systemRuntime, shared, storage, projectionsOf(registry)));
    const parked = await operations.findParked(streamAt(1));
    const decision = { actor: 'olga', reason: 'made by a broken client', at: new Date() };
    expect(await onShared.showing(streamAt(1))!.recordSkip(parked!, decision)).to.deep.equal(E.right(true));
    for (const index of [1, 2]) expect(await repair(streamAt(index))).to.deep.equal({ _tag: 'Projected' });
  });

  it('takes no row for drifted that was repaired after a decision which came while rows are compared', async () => {
    const projections = start();
    await poison(1);
    await show(projections, await append(store, streamAt(2), 0n, created('Good')));
    let isDecided = false;
    const deciding: EventStore = {
      ...store,
      readStream: async function* (stream, range) {
        yield* store.readStream(stream, range);
        if (isDecided || stream !== 'operations-businesses') return;
        isDecided = true;
        await recordSkip(streamAt(1));
        await repair(streamAt(1));
      },
    };
    operations = orThrow(await operationsOn(systemRuntime, deciding, storage, projectionsOf(registry)));
    expect([await drifts(), isDecided]).to.deep.equal([[], true]);
  });

  it('compares each row of many with its own history, and those that can be read when one cannot', async () => {
    const projections = start();
    for (const index of [1, 2, 3]) await append(store, streamAt(index), 0n, created(`No ${index}`));
    await show(projections, await append(store, streamAt(4), 0n, created('No 4')));
    await database.query(`update read_model.businesses set name = 'Vandal' where id = $1`, [idAt(2)]);
    const rows = storage.storedRows(businesses, await readWritableLive(storage, businesses));
    const verifier = { rows, store, projection: businesses };
    const drift = { stream: streamAt(2), id: idAt(2), kind: 'differs', fields: ['name'] };
    expect(await findDrifts(verifier, [1, 2, 3, 5].map(idAt))).to.deep.equal(
      [undefined, drift, undefined, undefined].map((found) => E.right(found)),
    );
    const broken: EventStore = {
      ...store,
      readStream: (stream, range) => {
        if (stream === streamAt(1)) throw new StoreUnavailable('gone');
        return store.readStream(stream, range);
      },
    };
    const [first, ...others] = await findDrifts({ ...verifier, store: broken }, [1, 2].map(idAt));
    expect([first && E.isLeft(first), others]).to.deep.equal([true, [E.right(drift)]]);
  });

  describe('watching the rows all the time', () => {
    let watching: ReturnType<typeof watchDrift>;
    let found: Array<FoundDrift>;
    let gone: Array<FoundDrift>;
    let isProjecting: boolean;
    let compared: number;
    let asked: number;

    beforeEach(() => {
      [found, gone, isProjecting, compared, asked] = [[], [], false, 0, 0];
      watching = watchDrift({
        runtime: { ...systemRuntime, clock: lookout.onClock(systemRuntime.clock) },
        store,
        projections: projectionsOf(registry),
        ledger: ledgerOf(registry).name,
        onEvent: (event) => events.push(event),
        storage: lookout.on(ownStorage(connectionString)),
        isProjecting: () => {
          asked += 1;
          return isProjecting;
        },
        onDrift: (drift) => void found.push(drift),
        onGone: (drift) => void gone.push(drift),
        onCompared: (records) => (compared += records),
        pauseMs: 1,
      });
    });

    afterEach(async () => {
      await watching.stop();
      expect(events.filter(({ _tag }) => _tag === 'Fault')).to.deep.equal([]);
    });

    const untilFound = (count: number): Promise<boolean> =>
      lookout.until(() => found.length >= count, Boolean, LONGEST_PAUSE_MS);

    it('names what drifted once, never a value, while this process writes the rows', async function () {
      this.timeout(startingPostgres + 2 * LONGEST_PAUSE_MS);
      const projections = start();
      await append(store, streamAt(1), 0n, created('Acme'));
      await show(projections, await append(store, streamAt(2), 0n, created('Bolt')));
      const drift = { projection: 'businesses', stream: streamAt(2), id: idAt(2), kind: 'differs' } as const;
      const plant = async (assignment: string, count: number): Promise<void> => {
        await database.query(`update read_model.businesses set ${assignment} where id = $1`, [idAt(2)]);
        await untilFound(count);
      };
      await database.query(`update read_model.businesses set name = 'Vandal' where id = $1`, [idAt(2)]);
      const before = asked;
      await lookout.until(() => asked > before + MANY_PAUSES);
      expect(found).to.deep.equal([]);
      isProjecting = true;
      await plant(`name = 'Vandal'`, 1);
      await plant(`ein = '13'`, 2);
      expect(found).to.deep.equal([
        { ...drift, fields: ['name'] },
        { ...drift, fields: ['name', 'ein'] },
      ]);
      expect([watching.drifted('businesses'), watching.drifted('documents')]).to.deep.equal([1, 0]);
      await repair(streamAt(2));
      await lookout.until(() => gone.length, Boolean, LONGEST_PAUSE_MS);
      expect([gone, watching.drifted('businesses')]).to.deep.equal([[{ ...drift, fields: ['name', 'ein'] }], 0]);
    });

    it('finds a row that was deleted, and one of a record that never was', async function () {
      this.timeout(startingPostgres + 2 * LONGEST_PAUSE_MS);
      isProjecting = true;
      const projections = start();
      await append(store, streamAt(1), 0n, created('Acme'), renamed('Acme 2'));
      const last = await append(store, streamAt(2), 0n, created('Bolt'));
      await show(projections, last);
      expect(await untilShown(projections.byName('ledger').progress, last)).to.equal(true);
      await database.query('delete from read_model.businesses where id = $1', [idAt(1)]);
      await database.query('update read_model.businesses set id = $2 where id = $1', [idAt(2), idAt(9)]);
      await untilFound(3);
      const of = (index: number) => ({
        projection: 'businesses',
        stream: streamAt(index),
        id: idAt(index),
        fields: [],
      });
      expect(found).to.have.deep.members([
        { ...of(1), kind: 'missing' },
        { ...of(2), kind: 'missing' },
        { ...of(9), kind: 'ahead', shown: 0n, newest: 'no-stream' },
      ]);
      // that a row shows more than its stream is another alarm
      expect(watching.drifted('businesses')).to.equal(2);
    });

    it('comes to every record in each round, however many there are', async function () {
      this.timeout(startingPostgres + 2 * LONGEST_PAUSE_MS);
      const projections = start();
      const ids = Array.from({ length: 250 }, () => randomUUID());
      let last = 0n;
      for (const id of ids) last = await append(store, `business-${id}`, 0n, created('Acme'));
      await show(projections, last);
      await database.query(`update read_model.businesses set name = 'Vandal'`);
      isProjecting = true;
      await untilFound(250);
      expect(found.map(({ id }) => id)).to.have.members(ids);
      // the batch in which the last of them was found may not be over
      await lookout.until(() => compared >= 250, Boolean, LONGEST_PAUSE_MS);
    });

    it('goes on where the history of a record cannot be read', async function () {
      this.timeout(startingPostgres + 2 * LONGEST_PAUSE_MS);
      const projections = start();
      await append(store, streamAt(1), 0n, created('Acme'));
      await show(projections, await append(store, streamAt(2), 0n, created('Bolt')));
      const { readStream } = store;
      Object.assign(store, {
        readStream: (stream: StreamName, range: Parameters<EventStore['readStream']>[1]) => {
          if (stream === streamAt(1)) throw new StoreUnavailable('gone');
          return readStream(stream, range);
        },
      });
      await database.query(`update read_model.businesses set name = 'Vandal'`);
      isProjecting = true;
      await untilFound(1);
      expect(found.map(({ id }) => id)).to.deep.equal([idAt(2)]);
    });
  });
});
