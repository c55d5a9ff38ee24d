import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { outputWith, type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD } from '../support/tamper.js';

const WARNING = 'the log, or what is kept of it, was changed: see ops log verify';

/** How long a pass and the pause behind it may take, ms. */
const SOON = 60_000;

describe('a service that verifies its log', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let pool: pg.Pool;
  let service: ServiceProcess;
  let api: Api;
  let id: string;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'verification-'));
    const url = await freshDatabase();
    pool = new pg.Pool({ connectionString: url, max: 2 });
    service = await startService({ dataDir, env: { DATABASE_URL: url, VERIFY_PERIOD: '1s' } });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
    ({ _id: id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'first' }));
    for (const name of ['second', 'third', 'fourth']) await api.json('PUT', `/business/${id}`, { name });
    await pool.query(LIFT_GUARD);
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  const warns = async (): Promise<boolean> => {
    const ready = (await (await fetch(`${service.address}/readyz`)).json()) as { warnings?: ReadonlyArray<string> };
    return ready.warnings?.includes(WARNING) === true;
  };

  const metrics = async (): Promise<string> => (await api.send('GET', '/../../metrics')).text();

  /** The value of a metric in a scrape. */
  const valueOf = (scrape: string, name: string): number =>
    Number(
      scrape
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );

  const faultsOf = async (kind: string): Promise<number> =>
    valueOf(await metrics(), `log_verification_faults_total{kind="${kind}"}`);

  const found = (kind: string): Promise<number> =>
    eventually(
      () => faultsOf(kind),
      (count) => count > 0,
      SOON,
    );

  const warned = (expected: boolean): Promise<boolean> => eventually(warns, (is) => is === expected, SOON);

  it('says how far it is, and warns of nothing', async () => {
    const said = (text: string) => ({
      events: valueOf(text, 'log_verification_events'),
      index: valueOf(text, 'log_verification_index'),
      hasEnded: valueOf(text, 'log_verification_ended_seconds') > 1_700_000_000,
    });
    // between two passes: the first one ends a moment after its last event
    const expected = { events: 4, index: 4, hasEnded: true };
    const scrape = await eventually(metrics, (text) => isDeepStrictEqual(said(text), expected), SOON);
    expect(said(scrape)).to.deep.equal(expected);
    expect(await warns()).to.equal(false);
  });

  it('finds a row of the ledger that was changed, until it is as it was', async () => {
    await pool.query(`update read_model.ledger set actor = 'mallory' where idx = 1`);
    expect(await found('ledger-changed')).to.be.greaterThan(0);
    expect(await warned(true)).to.equal(true);
    const changed = 'the row of the ledger was changed, in actor';
    expect(await outputWith(service, changed)).to.include(changed);
    await pool.query(`update read_model.ledger set actor = 'alice' where idx = 1`);
    expect(await warned(false)).to.equal(false);
  });

  it('finds an event that was changed, and goes on when its connections are cut', async () => {
    await pool.query(`update event_log.event set data = replace(data, 'second', 'secund') where revision = 1`);
    expect(await found('chain-broken')).to.be.greaterThan(0);
    expect(await found('event-changed')).to.be.greaterThan(0);
    await pool.query(`update event_log.event set data = replace(data, 'secund', 'second') where revision = 1`);
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'log-verification'`,
    );
    expect(await warned(false)).to.equal(false);
  });

  it('finds the last event removed', async () => {
    await pool.query('delete from event_log.event where revision = 3');
    expect(await found('end-cut')).to.be.greaterThan(0);
    expect(await warned(true)).to.equal(true);
    const stream = `"stream":"business-${id}"`;
    expect(await outputWith(service, stream)).to.include(stream);
  });
});
