import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { businesses } from '../../projections/businesses.js';
import { failureIn } from '../../projections/engine/engine-failure.js';
import { foldBatch, groupByStream } from '../../projections/engine/rows/fold-batch.js';
import { type Generation, readGeneration, tableOf } from '../../projections/engine/generation/generation.js';
import { acquireLease, type Lease, releaseLease, whileHeld } from '../../projections/engine/generation/lease.js';
import { runIn } from '../../src/postgres/statement.js';
import { makePool } from '../../src/postgres/pool.js';
import { openForService } from '../../projections/engine/generation/open-generation.js';
import { readStatuses } from '../../projections/engine/generation/read-statuses.js';
import { migrateReadModels } from '../../projections/engine/generation/schema.js';
import { rowArrays, upsertSql } from '../../projections/engine/rows/rows.js';
import { makeWriteBatch, writeStep } from '../../projections/engine/rows/write-batch.js';
import type { Checkpoint, From, StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { eventually } from '../support/eventually.js';
import { makeManualClock } from '../support/manual-clock.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { stored } from '../support/recorded.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const at = (commit: bigint): Checkpoint => ({ commit, prepare: commit });

const created = (position: bigint): StoredEvent => ({
  ...stored({ type: 'BusinessCreated', data: { name: `Name ${position}` } }, { stream: `business-${randomUUID()}` }),
  position,
});

describe('writing a read model', function () {
  this.timeout(startingPostgres);
  let pool: Pool;
  let generation: Generation;

  beforeEach(async () => {
    pool = makePool({ connectionString: await freshDatabase(), name: 'test', connections: 8, connectMs: 5_000 });
    await migrateReadModels(pool);
    generation = await openForService(pool, businesses, 'a-log');
  });

  afterEach(() => pool.end());

  const hold = async (holder: string, takeOver = false): Promise<Lease> => {
    const lease = await acquireLease(pool, generation.name, holder, takeOver);
    if (lease === undefined) throw new Error(`${holder} does not hold the lease`);
    return lease;
  };

  const write = (lease: Lease, from: From, ...events: ReadonlyArray<StoredEvent>) => {
    const writer = { pool, projection: businesses, generation, lease, notifies: true };
    const to = at(events.at(-1)?.position ?? 0n);
    const step = { from, to, last: events.at(-1) };
    const write = makeWriteBatch(runIn(pool), writer, (first, source) => [
      upsertSql(tableOf(generation), businesses.keys, first, source),
    ]);
    return write(step, rowArrays(businesses, foldBatch(businesses, () => undefined, groupByStream(events)).entities));
  };

  const places = async (): Promise<ReadonlyArray<string>> =>
    (await pool.query<{ place: string }>(`select place from ${tableOf(generation)} order by place`)).rows.map(
      ({ place }) => place,
    );

  it('moves rows and checkpoint together, and remembers the last event', async () => {
    const lease = await hold('one');
    const events = [created(3n), created(5n)];
    expect(await write(lease, 'start', ...events)).to.equal('live');
    const { stream, revision, id } = events[1]!;
    expect(await readGeneration(pool, generation.name)).to.deep.equal({
      ...generation,
      checkpoint: at(5n),
      last: { stream, revision, id },
    });
    expect(await places()).to.deep.equal(['3', '5']);
  });

  it('remembers the last event of its own when the checkpoint moves over those of others', async () => {
    const lease = await hold('one');
    const event = created(3n);
    await write(lease, 'start', event);
    const writer = { pool, projection: businesses, generation, lease, notifies: true };
    expect(await writeStep(runIn(pool), writer, { from: at(3n), to: at(9n), last: undefined })).to.equal('live');
    const { stream, revision, id } = event;
    expect(await readGeneration(pool, generation.name)).to.deep.include({
      checkpoint: at(9n),
      last: { stream, revision, id },
    });
  });

  it('writes nothing when another process has moved the checkpoint', async () => {
    const lease = await hold('one');
    await write(lease, 'start', created(3n));
    for (const from of ['start', at(2n), at(4n)] as const) {
      expect(await write(lease, from, created(7n))).to.equal(undefined);
      const writer = { pool, projection: businesses, generation, lease, notifies: true };
      expect(await writeStep(runIn(pool), writer, { from, to: at(9n), last: undefined })).to.equal(undefined);
    }
    expect(await places()).to.deep.equal(['3']);
    expect((await readGeneration(pool, generation.name))?.checkpoint).to.deep.equal(at(3n));
  });

  it('writes nothing for a holder that has lost the lease', async () => {
    const former = await hold('one');
    const current = await hold('two', true);
    expect(BigInt(current.fencing)).to.equal(BigInt(former.fencing) + 1n);
    expect(await write(former, 'start', created(3n))).to.equal(undefined);
    expect(await write({ ...former, fencing: current.fencing }, 'start', created(3n))).to.equal(undefined);
    expect(await places()).to.deep.equal([]);
    expect(await write(current, 'start', created(4n))).to.equal('live');
  });

  it('writes one of two batches when a delayed statement meets that of the next holder', async () => {
    const blocker = await pool.connect();
    await blocker.query('begin');
    await blocker.query('select from read_model.instance for update');
    const paused = write(await hold('one'), 'start', created(3n));
    const next = hold('two', true).then((lease) => write(lease, 'start', created(3n), created(4n)));
    const waiting = `select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await eventually(
      async () => (await pool.query<{ count: number }>(waiting)).rows[0]?.count,
      (count) => count === 2,
    );
    await blocker.query('commit');
    blocker.release();
    const roles = await Promise.all([paused, next]);
    expect([...roles].sort()).to.deep.equal(['live', undefined]);
    expect(await places()).to.deep.equal(roles[0] === 'live' ? ['3'] : ['3', '4']);
  });

  it('gives the lease to one at a time, and to the next as soon as it is released', async () => {
    const first = await hold('one');
    expect(await acquireLease(pool, generation.name, 'two', false)).to.equal(undefined);
    expect(await acquireLease(pool, generation.name, 'one', false)).to.deep.equal(first);
    await releaseLease(pool, { ...first, holder: 'two' });
    expect(await acquireLease(pool, generation.name, 'two', false)).to.equal(undefined);
    await releaseLease(pool, first);
    const second = await hold('two');
    expect(second.fencing).to.equal('2');
    await pool.query(`update read_model.lease set expires_at = clock_timestamp() - interval '1 ms'`);
    expect((await hold('three')).fencing).to.equal('3');
  });

  it('gives a holder that had the lease before another number than it had then', async () => {
    const leases = [];
    for (const holder of ['one', 'two', 'one']) {
      const lease = await hold(holder);
      leases.push(lease.fencing);
      await releaseLease(pool, lease);
    }
    expect(leases).to.deep.equal(['1', '2', '3']);
    const taken = await acquireLease(pool, generation.name, 'two', true);
    expect(taken?.fencing).to.equal('4');
  });

  it('is told to operators with who may write it, while somebody may', async () => {
    const writers = async () => (await readStatuses(pool)).map(({ leader }) => leader?.holder);
    const lease = await hold('one');
    expect(await writers()).to.deep.equal(['one']);
    await releaseLease(pool, lease);
    expect(await writers()).to.deep.equal([undefined]);
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
    const { signal } = new AbortController();
    const isOver = await whileHeld(systemRuntime.clock, away, lease, signal, (held) =>
      eventually(() => held.aborted, Boolean, 100),
    );
    expect(isOver).to.equal(false);
  });

  it('is given up once another had it, also by who gets it again by renewing it', async () => {
    const clock = makeManualClock();
    const lease = await hold('one');
    const reason = await whileHeld(clock, pool, lease, new AbortController().signal, async (held) => {
      await pool.query(`update read_model.lease set holder = 'two', fencing = fencing + 1, expires_at = '-infinity'`);
      const isOver = async (): Promise<boolean> => {
        await clock.advance(500);
        return held.aborted;
      };
      await eventually(isOver, Boolean);
      return held.reason as unknown;
    });
    expect(failureIn(reason, 'LeaseLost')?.message).to.equal(`another process writes ${generation.name}`);
  });

  it('is prepared by any number of processes at once', async () => {
    const generations = await Promise.all(
      Array.from({ length: 6 }, async () => {
        await migrateReadModels(pool);
        return openForService(pool, businesses, 'a-log');
      }),
    );
    expect(new Set(generations.map(({ name }) => name))).to.deep.equal(new Set([generation.name]));
  });

  it('fails for another log, and says what to do', async () => {
    const failure = await openForService(pool, businesses, 'another-log').catch((error: unknown) => error);
    expect(failure).to.have.nested.property('failure._tag', 'WrongLog');
  });
});
