import { either as E } from 'fp-ts';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { insertReads, makeAddReads } from '../../../src/infrastructure/postgres/access/add-reads.js';
import { makeFindReads } from '../../../src/infrastructure/postgres/access/find-reads.js';
import { makeFindLiftedGuards } from '../../../src/infrastructure/postgres/guards.js';
import { pruneReads } from '../../../src/infrastructure/postgres/access/prune-reads.js';
import { makePool } from '../../../src/postgres/pool.js';
import { runOn } from '../../../src/postgres/statement.js';
import type { AccessPageRequest, Read, RecordedRead } from '../../../src/read/access/access-record.js';
import { makeMemoryAccessRecord } from '../../support/memory-access-record.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { aRead } from '../../support/reads.js';
import { untilBlocked } from '../../support/until-blocked.js';

const errorOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => String(error),
  );

describe('the record of reads in Postgres', function () {
  this.timeout(startingPostgres);
  let pool: Pool;
  let connectionString: string;

  beforeEach(async () => {
    connectionString = await freshDatabase();
    pool = makePool({ connectionString, name: 'test', connections: 4, connectMs: 5_000 });
  });
  afterEach(() => pool.end());

  const found = async (request: Partial<AccessPageRequest> = {}): Promise<ReadonlyArray<RecordedRead>> => {
    const page = await makeFindReads(pool).page({
      ...{ filter: {}, after: undefined, direction: 'forwards', limit: 1_000 },
      ...request,
    });
    if (E.isLeft(page)) throw new Error('unavailable', { cause: page.left });
    return page.right.reads;
  };

  const whatOf = async (request?: Partial<AccessPageRequest>): Promise<ReadonlyArray<string>> =>
    (await found(request)).map(({ what }) => what);

  it('is empty before its first row, which makes the table', async () => {
    const { newest } = makeFindReads(pool);
    expect([await found(), await newest()]).to.deep.equal([[], E.right(undefined)]);
    await makeAddReads(pool)([aRead({ what: 'a' })]);
    expect(await found()).to.deep.equal([{ id: 1n, ...aRead({ what: 'a' }) }]);
    expect(await newest()).to.deep.equal(E.right(1n));
  });

  it('makes its table anew when the database was replaced by one without it', async () => {
    const add = makeAddReads(pool);
    await add([aRead({ what: 'before' })]);
    await pool.query('drop schema access cascade');
    expect(await errorOf(add([aRead({ what: 'lost' })]))).to.contain('does not exist');
    await add([aRead({ what: 'after' })]);
    expect(await whatOf()).to.deep.equal(['after']);
  });

  it('gives what the record in memory gives, whatever is asked for', async () => {
    const memory = makeMemoryAccessRecord();
    const plain: Read = { at: new Date(9_000), user: 'bob', operation: 'ops backup', what: '', form: 'backup' };
    const rows = [
      plain,
      ...Array.from({ length: 8 }, (_, n) => aRead({ at: new Date(n * 1_000), what: String(n) })),
      aRead({ user: 'bob', record: { entityType: 'Document', entity: 'x' }, at: new Date(3_500) }),
    ];
    await memory.add(rows);
    await makeAddReads(pool)(rows);
    const filters = [
      {},
      { user: 'bob' },
      { entityType: 'Document' },
      { entityType: '' },
      { entityType: ['Document', 'Decision'] },
      { entity: 'x', user: 'bob' },
      { operation: 'ops backup' },
      { since: new Date(2_000), until: new Date(5_000) },
    ];
    for (const filter of filters)
      for (const direction of ['forwards', 'backwards'] as const)
        for (const after of [undefined, 4n])
          for (const more of [{}, { upTo: 7n }]) {
            const request = { filter, direction, after, limit: 3, ...more };
            expect(await makeFindReads(pool).page(request)).to.deep.equal(await memory.page(request));
          }
  });

  it('gives the reads of a span of time, whatever the order in which they were written', async () => {
    const memory = makeMemoryAccessRecord();
    const add = makeAddReads(pool);
    const times = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 });
    // some come in the order of their times, some minutes late
    const batches = [...fc.sample(times, 12), [1]];
    for (const [place, batch] of batches.entries()) {
      const rows = batch.map((second) =>
        aRead({ at: new Date((place % 3 === 0 ? second : place * 40 + second / 10) * 1_000) }),
      );
      await memory.add(rows);
      await add(rows);
    }
    const { rows } = await pool.query<{ late: number; disordered: number }>(`
      select count(*) filter (where latest - at > interval '1 minute')::int as late,
        count(*) filter (where latest < before)::int as disordered
      from (select *, lag(latest) over (order by id) as before from access.read) as read`);
    expect(rows[0]?.late).to.be.greaterThan(0);
    expect(rows[0]?.disordered).to.equal(0);
    for (let from = -20; from < 500; from += 35)
      for (let to = from; to < 560; to += 70)
        for (const direction of ['forwards', 'backwards'] as const)
          for (const filter of [
            { since: new Date(from * 1_000) },
            { until: new Date(to * 1_000) },
            { since: new Date(from * 1_000), until: new Date(to * 1_000) },
          ]) {
            const request = { filter, direction, after: undefined, limit: 10 };
            expect(await makeFindReads(pool).page(request)).to.deep.equal(await memory.page(request));
          }
  });

  it('hands out ids in the order of commits, so that nothing comes before what somebody has read up to', async () => {
    const add = makeAddReads(pool);
    await add([aRead({ what: 'first' })]);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7310485201)');
    const adding = add([aRead({ what: 'waits' })]);
    await untilBlocked(pool);
    const slow = aRead({ what: 'slow', at: new Date(Date.UTC(2030, 0)) });
    await insertReads(runOn(client), [slow]);
    await client.query('commit');
    client.release();
    await adding;
    expect(await whatOf()).to.deep.equal(['first', 'slow', 'waits']);
    // it has seen the row that was committed while it waited
    const { rows } = await pool.query<{ latest: Date }>(`select latest from access.read where what = 'waits'`);
    expect(rows).to.deep.equal([{ latest: slow.at }]);
  });

  it('is pruned while somebody adds to it', async () => {
    const add = makeAddReads(pool);
    await add([aRead({ at: new Date(1_000), what: 'old' })]);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7310485201)');
    const row = { at: new Date(60_000), user: 'root', operation: 'ops reads prune', what: 'before=…', form: '' };
    const pruning = pruneReads(pool, new Date(20_000), row);
    await untilBlocked(pool);
    await insertReads(runOn(client), [aRead({ at: new Date(30_000), what: 'meanwhile' })]);
    await client.query('commit');
    client.release();
    expect(await pruning).to.equal(1);
    expect(await whatOf()).to.deep.equal(['meanwhile', 'before=…']);
  });

  it('refuses that rows are changed or removed, and says when its guard is lifted', async () => {
    await makeAddReads(pool)([aRead()]);
    for (const text of ['update access.read set what = $$x$$', 'delete from access.read', 'truncate access.read'])
      expect(await errorOf(pool.query(text)), text).to.contain('what was read is never changed or forgotten');
    expect(await makeFindLiftedGuards(pool)()).to.deep.equal([]);
    await pool.query('alter table access.read disable trigger never_changed');
    expect(await makeFindLiftedGuards(pool)()).to.deep.equal(['access.read: never_changed']);
  });

  it('takes no null for an actor, and stores nothing of a batch of which it rejects a row', async () => {
    const add = makeAddReads(pool);
    await add([aRead()]);
    await pool.query(`alter table access.read add constraint no_bob check (actor <> 'bob')`);
    expect(await errorOf(add([aRead({ what: 'of ann' }), aRead({ user: 'bob' })]))).to.contain('no_bob');
    expect(await found()).to.have.length(1);
  });

  it('is pruned by its owner up to a time, which is a row, and is guarded again', async () => {
    const add = makeAddReads(pool);
    await add(Array.from({ length: 25 }, (_, n) => aRead({ at: new Date(n * 1_000), what: String(n) })));
    await add([aRead({ at: new Date(120_000), what: 'new' }), aRead({ at: new Date(5_000), what: 'late' })]);
    const row = { at: new Date(180_000), user: 'root', operation: 'ops reads prune', what: 'before=…', form: '' };
    const pruned = await pruneReads(pool, new Date(20_000), row, 7);
    expect(pruned).to.equal(21);
    expect(await whatOf()).to.deep.equal(['20', '21', '22', '23', '24', 'new', 'before=…']);
    expect(await makeFindLiftedGuards(pool)()).to.deep.equal([]);
    expect(await errorOf(pool.query('delete from access.read'))).to.contain('never changed');
  });

  it('is added to and read by a role that may no more, which can neither prune it nor remove a row', async () => {
    await makeAddReads(pool)([aRead()]);
    await pool.query(`
      drop role if exists reads_service;
      create role reads_service;
      grant usage on schema access to reads_service;
      grant select on all tables in schema access to reads_service;
      grant insert on access.read to reads_service;`);
    const service = makePool({
      connectionString,
      ...{ name: 'service', connections: 1, connectMs: 5_000 },
      prepare: async (client) => {
        await client.query('set role reads_service');
      },
    });
    try {
      await makeAddReads(service)([aRead({ what: 'by the service' })]);
      const row = aRead({ at: new Date(), what: 'pruned' });
      expect(await errorOf(pruneReads(service, new Date(), row))).to.contain('must be owner of table read');
      expect(await errorOf(service.query('delete from access.read'))).to.contain('permission denied');
      expect(await whatOf()).to.deep.equal(['', 'by the service']);
    } finally {
      await service.end();
      await pool.query('drop owned by reads_service; drop role reads_service');
    }
  });
});
