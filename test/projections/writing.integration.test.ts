import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { businesses } from '../../projections/businesses.js';
import { failureIn } from '../../projections/engine/engine-failure.js';
import { foldBatch, groupByStream } from '../../projections/engine/rows/fold-batch.js';
import type { Generation } from '../../projections/engine/generation/generation.js';
import type { Lease } from '../../projections/engine/generation/lease.js';
import { whileHeld } from '../../projections/engine/generation/while-held.js';
import { makePool } from '../../src/postgres/pool.js';
import { openForService } from '../../projections/engine/generation/open-generation.js';
import { tableOf } from '../../projections/engine/postgres/schema/table.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';
import type { Checkpoint, From, StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { untilBlocked } from '../support/until-blocked.js';
import { makeManualClock } from '../support/manual-clock.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { stored } from '../support/recorded.js';
import { storageIn } from '../support/read-model-storage.js';

const at = (commit: bigint): Checkpoint => ({ commit, prepare: commit });

const created = (position: bigint): StoredEvent => ({
  ...stored({ type: 'BusinessCreated', data: { name: `Name ${position}` } }, { stream: `business-${randomUUID()}` }),
  position,
});

describe('writing a read model', function () {
  this.timeout(startingPostgres);
  let pool: Pool;
  let storage: ReadModelStorage;
  let generation: Generation;

  beforeEach(async () => {
    pool = makePool({ connectionString: await freshDatabase(), name: 'test', connections: 8, connectMs: 5_000 });
    storage = storageIn(pool);
    await storage.migrate();
    generation = await openForService(storage, businesses, 'a-log');
  });

  afterEach(() => pool.end());

  const hold = async (holder: string, takeOver = false): Promise<Lease> => {
    const lease = await storage.acquire(generation.name, holder, takeOver);
    if (lease === undefined) throw new Error(`${holder} does not hold the lease`);
    return lease;
  };

  const write = (lease: Lease, from: From, ...events: ReadonlyArray<StoredEvent>) => {
    const rows = storage.entityRows({ projection: businesses, generation, lease, notifies: true });
    const { entities } = foldBatch(businesses, () => undefined, groupByStream(events));
    return rows.prepare(entities)({ from, to: at(events.at(-1)?.position ?? 0n), last: events.at(-1) });
  };

  const places = async (): Promise<ReadonlyArray<string>> =>
    (await pool.query<{ place: string }>(`select place from ${tableOf(generation)} order by place`)).rows.map(
      ({ place }) => place,
    );

  it('writes one of two batches when a delayed statement meets that of the next holder', async () => {
    const blocker = await pool.connect();
    await blocker.query('begin');
    await blocker.query('select from read_model.instance for update');
    const paused = write(await hold('one'), 'start', created(3n));
    const next = hold('two', true).then((lease) => write(lease, 'start', created(3n), created(4n)));
    await untilBlocked(pool, { count: 2 });
    await blocker.query('commit');
    blocker.release();
    const roles = await Promise.all([paused, next]);
    expect([...roles].sort()).to.deep.equal(['live', undefined]);
    expect(await places()).to.deep.equal(roles[0] === 'live' ? ['3'] : ['3', '4']);
  });

  it('is not given up because the database is away for a moment: nobody else can take the lease then', async () => {
    const lease = await hold('one');
    const away = makePool({
      connectionString: 'postgres://nobody@127.0.0.1:1/none',
      name: 'test',
      connections: 1,
      connectMs: 1,
    });
    await away.end();
    const clock = makeManualClock();
    const { signal } = new AbortController();
    const tried = new EventEmitter();
    const acquire: ReadModelStorage['acquire'] = (...wanted) =>
      storageIn(away)
        .acquire(...wanted)
        .finally(() => tried.emit('tried'));
    const isOver = await whileHeld(clock, { acquire }, lease, signal, async (held) => {
      for (let times = 0; times < 3; times += 1) {
        const isTried = once(tried, 'tried');
        await clock.advance(500);
        await isTried;
      }
      return held.aborted;
    });
    expect(isOver).to.equal(false);
  });

  it('is given up once another had it, also by who gets it again by renewing it', async () => {
    const clock = makeManualClock();
    const lease = await hold('one');
    const reason = await whileHeld(clock, storage, lease, new AbortController().signal, async (held) => {
      await pool.query(`update read_model.lease set holder = 'two', fencing = fencing + 1, expires_at = '-infinity'`);
      const isOver = once(held, 'abort');
      await clock.advance(500);
      await isOver;
      return held.reason as unknown;
    });
    expect(failureIn(reason, 'LeaseLost')?.message).to.equal(`another process writes ${generation.name}`);
  });

  it('is prepared by any number of processes at once', async () => {
    const generations = await Promise.all(
      Array.from({ length: 6 }, async () => {
        await storage.migrate();
        return openForService(storage, businesses, 'a-log');
      }),
    );
    expect(new Set(generations.map(({ name }) => name))).to.deep.equal(new Set([generation.name]));
  });

  it('fails for another log, and says what to do', async () => {
    const failure = await openForService(storage, businesses, 'another-log').catch((error: unknown) => error);
    expect(failure).to.have.nested.property('failure._tag', 'WrongLog');
  });
});
