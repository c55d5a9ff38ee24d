import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { expect } from 'chai';
import pg from 'pg';
import { copyJson, type CopyLimits } from '../../../src/infrastructure/postgres/read-models/copy-json.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { untilConnections } from '../../support/server-activity.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const ROW = 'x'.repeat(990);
// in the select list the rows are made as they are sent
const rows = (count: number): string => `select '"' || lpad(generate_series(1, ${count})::text, 8, '0') || '${ROW}"'`;

const PATIENT: CopyLimits = { beginMs: 60_000, idleMs: 60_000, totalMs: 60_000 };

describe('a list copied out of Postgres', function () {
  this.timeout(startingPostgres);
  let pool: pg.Pool;
  let observer: pg.Client;

  before(async () => {
    const connectionString = await freshDatabase();
    pool = new pg.Pool({ connectionString, max: 1, application_name: 'copying' });
    pool.on('connect', (client) => client.on('error', () => undefined));
    observer = new pg.Client({ connectionString });
    await observer.connect();
  });

  after(() => Promise.all([pool.end(), observer.end()]));

  const copy = async (select: string, limits = PATIENT): Promise<Readable> =>
    copyJson(systemRuntime.clock, await pool.connect(), select, limits);

  /** Until the server's side of the connection waits for the reader, or is gone. */
  const untilItWaits = () =>
    untilConnections(observer, `application_name = 'copying' and wait_event = 'ClientWrite'`, 1);
  const untilItIsGone = () => untilConnections(observer, `application_name = 'copying'`, 0);

  const failureOf = (body: Readable): Promise<string> =>
    finished(body).then(
      () => 'none',
      (error: unknown) => String(error),
    );

  it('comes whole, and gives its connection back', async () => {
    const pid = (await pool.query<{ pid: number }>('select pg_backend_pid() pid')).rows;
    const list = JSON.parse((await buffer(await copy(rows(2_000)))).toString()) as ReadonlyArray<string>;
    expect(list.map((text) => text.slice(0, 8))).to.deep.equal(
      Array.from({ length: 2_000 }, (_, i) => String(i + 1).padStart(8, '0')),
    );
    expect((await pool.query('select pg_backend_pid() pid')).rows).to.deep.equal(pid);
  });

  it('fits in bounded memory, however long it is', async () => {
    const body = await copy(rows(100_000));
    const before = process.memoryUsage().arrayBuffers;
    let bytes = 0;
    let most = 0;
    // reason: a Readable of bytes gives Buffers
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      if (bytes % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bytes).to.be.above(100_000_000);
    expect(most).to.be.below(60_000_000);
  });

  it('makes the server wait while its reader waits', async () => {
    const body = await copy(rows(30_000));
    expect(await untilItWaits()).to.equal(1);
    expect(body.readableLength).to.be.below(1_000_000);
    expect((JSON.parse((await buffer(body)).toString()) as ReadonlyArray<string>).length).to.equal(30_000);
  });

  it('lets go of the server when its reader leaves', async () => {
    const body = await copy(rows(1_000_000));
    body.destroy();
    expect(await untilItIsGone()).to.equal(0);
    expect((await buffer(await copy('select 1::text'))).toString()).to.match(/^\[1\s*\]$/);
  });

  it('cuts off a reader that takes nothing, and one that takes too long', async () => {
    // longer than a busy server takes to begin
    for (const limits of [
      { ...PATIENT, idleMs: 3_000 },
      { ...PATIENT, totalMs: 3_000 },
    ]) {
      expect(await failureOf(await copy(rows(1_000_000), limits))).to.match(/no progress|not read within/);
      expect(await untilItIsGone()).to.equal(0);
    }
  });

  it('fails as a whole before it begins', async () => {
    const failure = await copy('select body from missing').catch((error: unknown) => String(error));
    expect(failure).to.contain('relation "missing" does not exist');
  });

  it('is given up when the server does not begin', async () => {
    const slow = copy(`select '1' from pg_sleep(4)`, { ...PATIENT, beginMs: 50 });
    expect(await slow.catch((error: unknown) => String(error))).to.contain('not begun within 50 ms');
    // the server notices with the first row that nobody listens
    expect(await untilItIsGone()).to.equal(0);
  });

  it('fails, and is no valid JSON, when the server fails midway', async () => {
    const body = await copy(`select (1 / (5000 - i))::text from generate_series(1, 10000) i`);
    const chunks: Array<Buffer> = [];
    body.on('data', (chunk: Buffer) => void chunks.push(chunk));
    expect(await failureOf(body)).to.contain('division by zero');
    expect(() => JSON.parse(Buffer.concat(chunks).toString()) as unknown).to.throw(SyntaxError);
  });

  it('fails when its connection is lost', async () => {
    const body = await copy(rows(1_000_000));
    await untilItWaits();
    await observer.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'copying'`);
    body.resume();
    expect(await failureOf(body)).to.not.equal('none');
  });
});
