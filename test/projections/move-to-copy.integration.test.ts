import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { projectionsOf, registry } from '../../src/entities/registry.js';
import { businesses } from '../../projections/businesses.js';
import { type Move, prepareMove } from '../../projections/engine/postgres/move-to-copy.js';
import { rebuild } from '../../projections/engine/rebuild/rebuild.js';
import { startProjections } from '../../projections/engine/run/start-projections.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { copyLog } from '../../src/event-sourcing/whole-log/copy-log.js';
import type { LogTarget } from '../../src/event-sourcing/whole-log/log-target.js';
import { orThrow } from '../support/engine.js';
import { untilShown } from '../support/until-shown.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { appendChained, businessStream, type Chains, interleaved, makeChains } from '../support/chained-events.js';
import { startDouble } from '../support/eventstoredb-double/double.js';
import { openStore } from '../support/eventstoredb-double/open-store.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage, storageIn } from '../support/read-model-storage.js';

describe('moving read models to a copy of their log', function () {
  this.timeout(startingPostgres);

  let connectionString: string;
  let database: pg.Pool;
  let chains: Chains;
  let memory: LogTarget;
  let eventStoreDb: LogTarget;
  let close: () => Promise<void>;

  beforeEach(async () => {
    connectionString = await freshDatabase();
    database = new pg.Pool({ connectionString, max: 2 });
    database.on('error', () => undefined);
    memory = makeInMemoryEventStore();
    chains = makeChains();
    await appendChained(memory, chains, ...interleaved(20, 3));
    const double = await startDouble();
    const opened = openStore(double.connectionString);
    eventStoreDb = opened.store;
    close = async () => {
      await opened.store.close();
      double.close();
    };
  });

  afterEach(async () => {
    await close();
    await database.end();
  });

  /** Projects everything that a log holds into a database, and leaves it at rest. */
  const project = async (store: EventStore, url = connectionString): Promise<void> => {
    const head = await store.head(['business']);
    const last = orThrow(head);
    if (last === undefined) throw new Error('nothing to project');
    const projections = startProjections({
      runtime: systemRuntime,
      projections: projectionsOf(registry),
      store,
      storage: ownStorage(url),
      projector: true,
      isSoleProcess: true,
      rollbackWindowMs: 60_000,
      onEvent: () => undefined,
    });
    const { progress } = projections.byName('businesses');
    expect(await untilShown(progress, last)).to.equal(true);
    await projections.stop();
  };

  const rows = async (pool = database): Promise<unknown> => {
    const { rows: found } = await pool.query('select * from read_model.businesses order by place');
    return found;
  };

  const generation = async (): Promise<unknown> => {
    const { rows: found } = await database.query(
      `select table_name, checkpoint_commit from read_model.instance where projection = 'businesses'`,
    );
    return found;
  };

  const prepared = async (store: EventStore): Promise<Move> => {
    const move = await prepareMove(database, store, projectionsOf(registry));
    if (E.isLeft(move)) throw new Error(move.left.message);
    return move.right;
  };

  const goOver = async (from: EventStore, to: LogTarget) => {
    const move = await prepared(from);
    const copied = await copyLog(from, to, {
      runtime: systemRuntime,
      follow: false,
      signal: new AbortController().signal,
      onPair: (one, other) => move.onEvent(one, other.position),
      onProgress: () => undefined,
    });
    expect(E.isRight(copied)).to.equal(true);
    return move.commit();
  };

  const builtAnew = async (store: EventStore): Promise<unknown> => {
    const url = await freshDatabase();
    await project(store, url);
    const pool = new pg.Pool({ connectionString: url });
    const found = await rows(pool);
    await pool.end();
    return found;
  };

  it('leaves the rows as the copy itself would have made them, in both directions', async () => {
    await project(memory);
    const before = await rows();
    expect(E.isRight(await goOver(memory, eventStoreDb))).to.equal(true);
    expect(await rows()).to.deep.equal(await builtAnew(eventStoreDb));

    await appendChained(eventStoreDb, chains, ...interleaved(20, 1));
    await project(eventStoreDb);
    expect(E.isRight(await goOver(eventStoreDb, memory))).to.equal(true);
    expect(await rows()).to.deep.equal(await builtAnew(memory));
    expect(await rows()).not.to.deep.equal(before);
  });

  it('lets the projections go on from where they were, in the same tables', async () => {
    await project(memory);
    const [{ table_name: table }] = (await generation()) as [{ table_name: string }];
    // seen only by what is not built anew
    await database.query(`update read_model.${table} set kept = 'still here' where body is not null`);
    await goOver(memory, eventStoreDb);
    const position = orThrow(await eventStoreDb.head(['business']))!;
    const newer = businessStream(1000);
    await appendChained(eventStoreDb, chains, newer, newer);
    const begun: Array<unknown> = [];
    const subscribe: EventStore['subscribe'] = (range, signal) => {
      if (range.categories?.includes('business') === true) begun.push(range.after);
      return eventStoreDb.subscribe(range, signal);
    };
    await project({ ...eventStoreDb, subscribe });
    expect(begun).to.deep.equal([{ commit: position, prepare: position }]);
    const { rows: found } = await database.query<{ id: string; kept: string | null; revision: string }>(
      'select id, kept, revision from read_model.businesses order by place',
    );
    expect(found.map(({ kept }) => kept)).to.deep.equal([...Array.from({ length: 20 }, () => 'still here'), null]);
    expect(found.at(-1)).to.include({ id: newer.slice('business-'.length), revision: '1' });
  });

  it('moves a checkpoint that is behind to the same event, and projects later events from the copy', async () => {
    await project(memory);
    await appendChained(memory, chains, ...interleaved(20, 1), businessStream(77));
    await goOver(memory, eventStoreDb);
    await project(eventStoreDb);
    expect(await rows()).to.deep.equal(await builtAnew(eventStoreDb));
  });

  it('moves parked events', async () => {
    const [stream] = interleaved(1, 1);
    const { event, revision } = chains(stream!, { changes: { name: 5 } });
    await memory.append(stream!, revision - 1n, [event]);
    await appendChained(memory, chains, ...interleaved(20, 1));
    await project(memory);
    await goOver(memory, eventStoreDb);
    const positions: Array<string> = [];
    for await (const page of eventStoreDb.readStream(stream!, { direction: 'forwards', from: revision, limit: 1 }))
      positions.push(...[...page].map(({ position }) => position.toString()));
    const { rows: parked } = await database.query('select stream, revision, position from read_model.parked');
    expect(parked).to.deep.equal([{ stream, revision: revision.toString(), position: positions[0] }]);
  });

  it('drops an unfinished rebuild, whose load plan has a position of the old log', async () => {
    await project(memory);
    const ended = new AbortController();
    const divided = {
      ...memory,
      byStream: { ...memory.byStream!, divide: () => memory.byStream!.divide('business', 20) },
    };
    const loadedInPart = rebuild({
      runtime: systemRuntime,
      storage: storageIn(database),
      store: divided,
      projection: businesses,
      isFromScratch: false,
      differences: { keep: 0, onDifference: () => Promise.resolve() },
      decide: () => Promise.resolve('keep'),
      observer: {
        onOpened: () => undefined,
        onChunksLoaded: () => undefined,
        onProgress: (_, share) => share > 0 && ended.abort(new Error('ended')),
        onBuilt: () => undefined,
      },
      signal: ended.signal,
    });
    expect(await loadedInPart.catch((error: unknown) => error)).to.equal(ended.signal.reason);
    const count = async (table: string): Promise<unknown> =>
      (await database.query<{ count: number }>(`select count(*)::int from read_model.${table}`)).rows[0]?.count;
    expect([await count('instance'), await count('stretch')]).to.deep.equal([3, 3]);

    expect(E.isRight(await goOver(memory, eventStoreDb))).to.equal(true);
    expect([await count('instance'), await count('stretch')]).to.deep.equal([2, 0]);
    expect(await rows()).to.deep.equal(await builtAnew(eventStoreDb));
  });

  it('fails while a service keeps the read models up to date, and afterwards if one did meanwhile', async () => {
    await project(memory);
    const before = [await rows(), await generation()];
    const holdLease = (expires: string) =>
      database.query(`update read_model.lease set holder = 'other', expires_at = ${expires}`);
    await holdLease(`clock_timestamp() + interval '1 hour'`);
    const message = 'a running service keeps the read models up to date: stop every process of it first';
    expect(await prepareMove(database, memory, projectionsOf(registry))).to.deep.equal(
      E.left({ _tag: 'NotAllowed', message }),
    );

    await holdLease(`'-infinity'`);
    const move = await prepared(memory);
    await holdLease(`clock_timestamp() + interval '1 hour'`);
    expect(await move.commit()).to.deep.equal(E.left({ _tag: 'NotAllowed', message }));
    await holdLease(`'-infinity'`);
    expect([await rows(), await generation()]).to.deep.equal(before);
  });

  it('fails for read models of another log, and changes nothing when rows belong to no stream of the log', async () => {
    await project(memory);
    const other = await prepareMove(database, makeInMemoryEventStore(), projectionsOf(registry));
    expect(E.isLeft(other) && other.left.message).to.include('was made from the log');

    const before = [await rows(), await generation()];
    const move = await prepared(memory);
    const moved = await move.commit();
    expect(E.isLeft(moved) && moved.left.message).to.match(
      /^20 rows of businesses_\S+ belong to no stream of the log$/,
    );
    expect([await rows(), await generation()]).to.deep.equal(before);
  });

  it('has nothing to do in a database without read models', async () => {
    expect(await (await prepared(memory)).commit()).to.deep.equal(E.right([]));
  });
});
