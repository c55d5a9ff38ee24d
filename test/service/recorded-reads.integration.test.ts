import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { makeApi } from '../support/api.js';
import { startComposed } from '../support/composed-service.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

/** Those that wait for a statement, and those of the statement under way. */
const HELD = 2 * 200;

/** More than two statements take. */
const READS = 600;

describe('the record of reads of a service', function () {
  this.timeout(startingPostgres + 120_000);
  let dataDir: string;
  let connectionString: string;
  let pool: pg.Pool;
  let token: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'recorded-'));
    connectionString = await freshDatabase();
    pool = new pg.Pool({ connectionString, max: 1 });
    token = await tokenFor('admin', 'alice');
  });

  afterEach(async () => {
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  const settings = (accessRecord: string) => ({
    dataDir,
    env: { DATABASE_URL: connectionString, ACCESS_RECORD: accessRecord },
  });

  const start = (accessRecord: string): Promise<ServiceProcess> => startService(settings(accessRecord));

  const end = async (service: ServiceProcess, signal: NodeJS.Signals): Promise<void> => {
    service.kill(signal);
    await service.exited;
  };

  const historyOf = async ({ address }: Pick<ServiceProcess, 'address'>): Promise<string> => {
    const { _id } = await makeApi(address, token).json<{ readonly _id: string }>('POST', '/business', { name: 'Acme' });
    return `${address}/api/v1/business/${_id}/events`;
  };

  /** Reads a history, and gives the ids of the requests that were answered. */
  const read = async (address: string, reads: number, name: string): Promise<ReadonlyArray<string>> => {
    const answered: Array<string> = [];
    const ids = Array.from({ length: reads }, (_, i) => `${name}-${i}`);
    const next = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
        const headers = { Authorization: `Bearer ${token}`, 'X-Request-Id': id };
        const response = await fetch(address, { headers });
        await response.arrayBuffer();
        if (response.status === 200) answered.push(id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, next));
    return answered;
  };

  const recorded = async (): Promise<ReadonlyArray<string>> => {
    const text = `select request_id from access.read where operation = 'listBusinessEvents' order by id`;
    return (await pool.query<{ readonly request_id: string }>(text)).rows.map(({ request_id: id }) => id);
  };

  it('has all reads of a service that stops in order, and of one that is killed all but those that it held', async () => {
    const first = await start('on');
    const stopped = await read(await historyOf(first), READS, 'stopped');
    await end(first, 'SIGTERM');
    expect([...(await recorded())].sort()).to.deep.equal([...stopped].sort());
    expect(stopped).to.have.length(READS);

    const second = await start('on');
    const killed = await read(await historyOf(second), READS, 'killed');
    await end(second, 'SIGKILL');
    const known = new Set(await recorded());
    const lost = killed.filter((id) => !known.has(id));
    expect(lost.length).to.be.lessThanOrEqual(HELD);
    // the oldest are not among them
    expect(lost.filter((id) => killed.indexOf(id) < READS - HELD)).to.deep.equal([]);
  });

  it('has every read that was answered where that is required, also of a service that is killed', async () => {
    const service = await start('required');
    const address = await historyOf(service);
    const before = await read(address, 100, 'before');
    const reading = read(address, READS, 'meanwhile').catch(() => []);
    const answered = [...before, ...(await read(address, 50, 'beside'))];
    await end(service, 'SIGKILL');
    await reading;
    const known = new Set(await recorded());
    expect(answered.filter((id) => !known.has(id))).to.deep.equal([]);
    expect(answered).to.have.length(150);
  });

  it('is refused where the database does not take it: 503 if it is required, and a warning in either case', async () => {
    for (const [mode, status] of [
      // the first row of all makes the table
      ['required', 503],
      ['on', 200],
    ] as const) {
      const service = await startComposed(settings(mode));
      const address = await historyOf(service);
      expect(await read(address, 1, mode)).to.have.length(1);
      await pool.query('alter table access.read add constraint nothing_new check (false) not valid');
      const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
      expect(response.status, mode).to.equal(status);
      await service.outputOnce((text) => text.includes('the record of reads is not written; trying again'));
      const ready = await (await fetch(`${service.address}/readyz`)).json();
      expect(ready, mode).to.deep.include({ warnings: ['the database does not take the record of reads'] });
      await service.stop();
      await pool.query('alter table access.read drop constraint nothing_new');
    }
  });

  it('has nothing of what was searched for, nor of a file that was named', async () => {
    const service = await startComposed(settings('required'));
    const audit = `${service.address}/audit/v1`;
    const headers = { Authorization: `Bearer ${token}` };
    for (const asked of [
      'events?user=planted&ref=planted',
      'events?reason=planted&entity=planted',
      'reads?user=planted',
    ])
      expect((await fetch(`${audit}/${asked}`, { headers })).status, asked).to.equal(200);
    await fetch(`${service.address}/api/v1/business?q=planted`, { headers });
    await service.stop();
    const { rows } = await pool.query<{ readonly what: string }>('select * from access.read order by id');
    expect(rows.map(({ what }) => what)).to.deep.equal(['user&ref', 'reason&entity', 'user']);
    expect(JSON.stringify(rows)).not.to.contain('planted');
  });
});
