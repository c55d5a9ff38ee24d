import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../support/api.js';
import { type Readiness, readinessOf, untilMetrics, untilReadiness, valueIn } from '../support/readiness.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD } from '../support/tamper.js';

const WARNING = 'the log, or what is kept of it, was changed: see ops log verify';

/** How long a pass and the pause behind it may take, ms. */
const SOON = 60_000;

describe('a service that verifies its log', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let pool: pg.Pool;
  let service: ComposedService;
  let api: Api;
  let id: string;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'verification-'));
    const url = await freshDatabase();
    pool = new pg.Pool({ connectionString: url, max: 2 });
    service = await startComposed({ dataDir, env: { DATABASE_URL: url, VERIFY_PERIOD: '1s' } });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
    ({ _id: id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'first' }));
    for (const name of ['second', 'third', 'fourth']) await api.json('PUT', `/business/${id}`, { name });
    await pool.query(LIFT_GUARD);
  });

  after(async () => {
    await service.stop();
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  const isWarned = ({ warnings = [] }: Readiness): boolean => warnings.includes(WARNING);

  const warned = (expected: boolean): Promise<unknown> =>
    untilReadiness(service, (readiness) => isWarned(readiness) === expected, SOON);

  const found = (kind: string): Promise<unknown> =>
    untilMetrics(service, (text) => valueIn(text, `log_verification_faults_total{kind="${kind}"}`) > 0, SOON);

  it('says how far it is, and warns of nothing', async () => {
    const said = (text: string) => ({
      events: valueIn(text, 'log_verification_events'),
      index: valueIn(text, 'log_verification_index'),
      hasEnded: valueIn(text, 'log_verification_ended_seconds') > 1_700_000_000,
    });
    // between two passes: the first one ends a moment after its last event
    const expected = { events: 4, index: 4, hasEnded: true };
    await untilMetrics(service, (text) => isDeepStrictEqual(said(text), expected), SOON);
    expect(isWarned(await readinessOf(service))).to.equal(false);
  });

  it('finds a row of the ledger that was changed, until it is as it was', async () => {
    await pool.query(`update read_model.ledger set actor = 'mallory' where idx = 1`);
    await found('ledger-changed');
    await warned(true);
    const changed = 'the row of the ledger was changed, in actor';
    expect(await outputWith(service, changed)).to.include(changed);
    await pool.query(`update read_model.ledger set actor = 'alice' where idx = 1`);
    await warned(false);
  });

  it('finds an event that was changed, and goes on when its connections are cut', async () => {
    await pool.query(`update event_log.event set data = replace(data, 'second', 'secund') where revision = 1`);
    await found('chain-broken');
    await found('event-changed');
    await pool.query(`update event_log.event set data = replace(data, 'secund', 'second') where revision = 1`);
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'log-verification'`,
    );
    await warned(false);
  });

  it('tells of the last event removed, which it finds, or its rows have seen', async () => {
    await pool.query('delete from event_log.event where revision = 3');
    // whichever comes first: a process whose rows have seen more than the log holds writes none, and verifies no more
    const isTold = (readiness: Readiness): boolean =>
      isWarned(readiness) || readiness.message?.includes('read models of this log') === true;
    await untilReadiness(service, isTold, SOON);
  });
});
