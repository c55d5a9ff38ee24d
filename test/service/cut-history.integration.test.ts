import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { type Clock, sleepBy } from '../../src/event-sourcing/clock.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { type Api, makeApi } from '../support/api.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { startDouble } from '../support/eventstoredb-double/double.js';
import { untilCaughtUp, untilMetrics, untilReadiness, type Readiness } from '../support/readiness.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD } from '../support/tamper.js';

type Business = { readonly _id: string; readonly name: string };

type Log = {
  readonly settings: Readonly<Record<string, string>>;
  /** Removes the events of a business from a revision on; everything else in the log stays. */
  readonly cut: (id: string, from: number) => Promise<void>;
  readonly close: () => void;
};

/** How a client of EventStoreDB deletes a stream: so that it may begin anew, or for good. */
const DELETIONS = ['softDelete', 'tombstone'] as const;

type DeletableLog = Log & { readonly remove: (way: (typeof DELETIONS)[number], id: string) => void };

const inPostgres = (pool: pg.Pool): Promise<Log> =>
  Promise.resolve({
    settings: {},
    cut: async (id: string, from: number) => {
      await pool.query(LIFT_GUARD);
      await pool.query(`delete from event_log.event where stream = $1 and revision >= $2`, [`business-${id}`, from]);
    },
    close: () => undefined,
  });

const inEventStoreDb = async (): Promise<DeletableLog> => {
  const double = await startDouble();
  return {
    settings: { EVENTSTOREDB_URL: double.connectionString },
    cut: (id, from) => {
      double.log.cut(`business-${id}`, from);
      return Promise.resolve();
    },
    remove: (way, id) => double.log[way](`business-${id}`),
    close: double.close,
  };
};

/** When to wait no longer for the end of the alarm, ms. */
const NOTICED = 60_000;

/**
 * A command goes on without the row that takes longer than 0.3 s, as on a machine that is busy with other tests. By this
 * clock it waits for the row as long as need be.
 */
const { after: ofTheMachine } = systemRuntime.clock;
const after: Clock['after'] = (ms, task, options) => ofTheMachine(ms === 300 ? 30_000 : ms, task, options);
const waitingForRows: Runtime = { ...systemRuntime, clock: { ...systemRuntime.clock, after, sleep: sleepBy(after) } };

for (const [place, openLog] of [
  ['Postgres', inPostgres],
  ['EventStoreDB', inEventStoreDb],
] as const)
  describe(`a record whose events were removed from a log in ${place}`, function () {
    this.timeout(startingPostgres * 5);
    let dataDir: string;
    let url: string;
    let pool: pg.Pool;
    let log: Log | DeletableLog;
    let services: Array<ComposedService>;
    let service: ComposedService;
    let api: Api;
    let record: Business;
    let other: Business;

    const start = async (env: Readonly<Record<string, string>> = {}) => {
      const started = await startComposed({
        dataDir,
        env: { DATABASE_URL: url, ...log.settings, ...env },
        runtime: waitingForRows,
      });
      services.push(started);
      return { service: started, api: makeApi(started.address, await tokenFor('admin', 'alice')) };
    };

    beforeEach(async () => {
      dataDir = await mkdtemp(path.join(tmpdir(), 'cut-'));
      url = await freshDatabase();
      pool = new pg.Pool({ connectionString: url, max: 2 });
      log = await openLog(pool);
      services = [];
      ({ service, api } = await start());
      record = await api.json<Business>('POST', '/business', { name: 'first' });
      for (const name of ['second', 'third']) await api.json('PUT', `/business/${record._id}`, { name });
      other = await api.json<Business>('POST', '/business', { name: 'other' });
      // where the newest event that rows show is gone, the log is taken for another one; here it is that of the other
      await untilCaughtUp(service, 'ledger');
    });

    afterEach(async () => {
      await Promise.all(services.map(({ stop }) => stop()));
      log.close();
      await pool.end();
      await rm(dataDir, { recursive: true });
    });

    const restart = async (): Promise<void> => {
      await service.stop();
      ({ service, api } = await start());
    };

    const put = async (body: object, { _id }: Business = record) => {
      const response = await api.send('PUT', `/business/${_id}`, body);
      // reason: an error or a record
      const { code, message } = (await response.json()) as { readonly code?: string; readonly message?: string };
      return [response.status, code, message];
    };

    /** Waits until the row shows all of its history: then it is the last trace of what is cut off. */
    const untilShown = async ({ _id }: Business): Promise<void> => {
      const { length } = await api.json<ReadonlyArray<unknown>>('GET', `/business/${_id}/events`);
      await untilCaughtUp(service, 'businesses');
      const text = 'select revision from read_model.businesses where id = $1';
      expect((await pool.query(text, [_id])).rows).to.deep.equal([{ revision: String(length - 1) }]);
    };

    const cut = async (business: Business, from: number): Promise<void> => {
      await untilShown(business);
      await log.cut(business._id, from);
    };

    const CUT = [
      503,
      'history_cut',
      'The history of this record is shorter than its row: events are missing from the log. Nothing is written to it ' +
        'until the operator of the service has looked into this',
    ];

    /** Without that of the verification, which may or may not have come by since. */
    const warningsIn = ({ status, warnings }: Readiness): unknown => {
      const histories = warnings?.filter((warning) => warning.startsWith('history'));
      return [status, histories?.length === 0 ? undefined : histories];
    };

    const WARNED = [200, ['history shorter than its rows: businesses']];

    /** What is warned of once it is that, or at the end of the wait: what is not answered within a second is not ready. */
    const warned = async (expected: unknown): Promise<unknown> =>
      warningsIn(await untilReadiness(service, (now) => isDeepStrictEqual(warningsIn(now), expected), NOTICED));

    const metric = async (line: string): Promise<boolean> => {
      const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
      return (await (await fetch(`${service.address}/metrics`, { headers })).text()).includes(`${line}\n`);
    };

    const operate = (...args: ReadonlyArray<string>) =>
      runOperator(args, { env: { DATA_DIR: dataDir, DATABASE_URL: url, ...log.settings } });

    const verify = (...args: ReadonlyArray<string>) => operate('projections', 'verify', 'businesses', ...args);

    const events = async (): Promise<number> =>
      (await api.json<ReadonlyArray<unknown>>('GET', `/business/${record._id}/events`)).length;

    it('takes no command any more, and is an alarm, until an operator accepts the shorter history', async () => {
      await cut(record, 1);
      // what this process remembers of the record is more than the log holds
      for (const body of [{ name: 'fourth' }, { name: 'third' }, { name: 'first' }])
        expect(await put(body)).to.deep.equal(CUT);
      expect((await api.send('DELETE', `/business/${record._id}`)).status).to.equal(503);
      expect((await put({ name: 'more' }, other))[0]).to.equal(200);
      expect(await warned(WARNED)).to.deep.equal(WARNED);
      expect(await metric('projection_ahead_total{read_model="businesses"} 1')).to.equal(true);
      expect(await metric('readiness_warning{warning="history shorter than its rows: businesses"} 1')).to.equal(true);
      const said = 'the history of a record is shorter than its row';
      expect(await outputWith(service, said)).to.include(said);
      expect(await events()).to.equal(1);

      const fault = `businesses: business-${record._id} is shorter than its row: the row shows revision 2, the log ends at revision 0. Events were removed from the log`;
      const found = await verify();
      expect([found.code, found.stdout.split('\n')[0]], found.stderr).to.deep.equal([1, fault]);
      const kept = await verify('--repair');
      expect([kept.code, kept.stdout.split('\n')], kept.stderr).to.deep.equal([
        1,
        [
          `${fault}: not repaired, because the row is the last trace of them (--accept-shorter-history)`,
          'businesses: 2 entities compared, 1 drifted, 0 repaired, 1 with a history that is shorter than the row',
          '',
        ],
      ]);
      expect(await put({ name: 'fourth' })).to.deep.equal(CUT);

      const accepted = await verify('--repair', '--accept-shorter-history', '--json');
      expect([accepted.code, JSON.parse(accepted.stdout.split('\n')[0]!)], accepted.stderr).to.deep.equal([
        0,
        {
          projection: 'businesses',
          stream: `business-${record._id}`,
          id: record._id,
          kind: 'ahead',
          fields: [],
          shown: 2,
          newest: 0,
          outcome: 'Projected',
        },
      ]);
      expect(await put({ phone: '1' })).to.deep.equal([200, undefined, undefined]);
      expect(await api.json('GET', `/business/${record._id}`)).to.include({ name: 'first', phone: '1' });
      expect(await warned([200, undefined])).to.deep.equal([200, undefined]);
    });

    it('takes none in a process that knows it from its row alone, signed or not', async () => {
      await cut(record, 1);
      await restart();
      expect(await put({ name: 'fourth' })).to.deep.equal(CUT);
      const { rows } = await pool.query<{ name: string }>(
        `select table_name as name from read_model.instance where projection = 'businesses'`,
      );
      await pool.query(`update read_model.${rows[0]!.name} set snapshot = null`);
      await restart();
      expect(await put({ name: 'fourth' })).to.deep.equal(CUT);
      expect(await events()).to.equal(1);
    });

    it('takes none when nothing is left of it, in a process that only answers requests, too', async () => {
      const replica = await start({ API_ONLY: 'true' });
      await cut(record, 0);
      expect(await put({ name: 'fourth' })).to.deep.equal(CUT);
      [service, api] = [replica.service, replica.api];
      expect(await put({ name: 'fourth' })).to.deep.equal(CUT);
      expect((await api.send('DELETE', `/business/${record._id}`)).status).to.equal(503);
      expect(await warned(WARNED)).to.deep.equal(WARNED);
      const found = await verify();
      expect(found.stdout).to.include('the row shows revision 2, the log has no event of it');
    });

    for (const way of place === 'EventStoreDB' ? DELETIONS : [])
      it(`takes none when its stream was deleted (${way}), and is named by who verifies the log, which still has it`, async () => {
        await untilShown(record);
        if ('remove' in log) log.remove(way, record._id);
        // EventStoreDB lets who remembers such a stream go on with it
        if (way === 'softDelete') await restart();
        expect(await put({ name: 'fourth' })).to.deep.equal(CUT);
        expect((await put({ name: 'more' }, other))[0]).to.equal(200);
        expect(await warned(WARNED)).to.deep.equal(WARNED);
        const verified = await operate('log', 'verify');
        expect([verified.code, verified.stdout.split('\n')[0]], verified.stderr).to.deep.equal([
          1,
          `log: business-${record._id}: the stream was deleted in the store: its history is not shown any more, and what the log still has of it can be removed`,
        ]);
        expect((await verify()).stdout).to.include('2 entities compared, none');
        await restart();
        const found = 'log_verification_faults_total{kind="stream-truncated"} 1\n';
        await untilMetrics(service, (text) => text.includes(found), NOTICED);
      });

    if (place === 'EventStoreDB')
      it('makes the log another one for the service where the newest event of all was in the stream that was deleted', async () => {
        if ('remove' in log) log.remove('tombstone', other._id);
        await restart();
        const message = 'Not ready: read models of this log';
        const found = await untilReadiness(service, (now) => now.message === message, NOTICED);
        expect(found.status).to.equal(503);
        expect((await put({ name: 'fourth' }))[0]).to.equal(503);
        expect((await api.send('GET', `/business/${record._id}`)).status).to.equal(200);
      });

    it('is found by who writes the rows when a process that was behind has appended to what is left', async () => {
      const replica = await start({ API_ONLY: 'true' });
      await cut(other, 1); // nothing is there
      await replica.api.json('PUT', `/business/${other._id}`, { phone: '1' });
      for (const name of ['a', 'b', 'c']) await api.json('PUT', `/business/${other._id}`, { name });
      await cut(other, 2);
      await replica.api.json('PUT', `/business/${other._id}`, { phone: '2' });
      const said = 'the history of a record is shorter than its row';
      expect(await outputWith(service, said)).to.include(said);
      // not ready where it looked while the whole log of EventStoreDB was shorter than its rows
      expect(await warned(WARNED)).to.deep.equal(WARNED);
    });
  });
