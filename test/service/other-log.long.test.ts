import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../support/api.js';
import { startDouble } from '../support/eventstoredb-double/double.js';
import { untilReadiness, untilReady, untilUnready } from '../support/readiness.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD } from '../support/tamper.js';

type Business = { readonly _id: string; readonly name: string };

/** When to wait no longer until a service notices that other rows are live, which it looks for every 10 s, ms. */
const NOTICED = 30_000;

const NOT_OF_THIS_LOG = 'Not ready: read models of this log';

describe('read models that are not of the log', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let url: string;
  let pool: pg.Pool;
  let services: Array<ComposedService>;
  let kept: Business;
  let lost: Business;

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<{ service: ComposedService; api: Api }> => {
    const service = await startComposed({ dataDir, env: { DATABASE_URL: url, ...env } });
    services.push(service);
    return { service, api: makeApi(service.address, await tokenFor('admin', 'alice')) };
  };

  const sql = async <Row extends object>(text: string): Promise<ReadonlyArray<Row>> =>
    (await pool.query<Row>(text)).rows;

  const operate = (...args: ReadonlyArray<string>) => runOperator(args, { env: { DATABASE_URL: url } });

  /** Puts the log back to where it was: what is restored from a backup is shorter than what the rows have seen. */
  const cutOff = async (after: number): Promise<void> => {
    await sql(LIFT_GUARD);
    await sql(`delete from event_log.event where position > ${after}`);
    await sql(`update event_log.head set position = ${after}`);
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'other-log-'));
    url = await freshDatabase();
    pool = new pg.Pool({ connectionString: url, max: 2 });
    services = [];
    const { service, api } = await start();
    kept = await api.json<Business>('POST', '/business', { name: 'kept' });
    await api.json('POST', '/document', { name: 'a document' });
    lost = await api.json<Business>('POST', '/business', { name: 'lost' });
    await service.stop();
  });

  afterEach(async () => {
    await Promise.all(services.map(({ stop }) => stop()));
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  /** What a service answers whose rows may not be read. */
  const answers = async (service: ComposedService, api: Api) => {
    const statusOf = async (method: string, target: string, body?: object): Promise<number> =>
      (await api.send(method, target, body)).status;
    // what is not answered within a second is missing, too
    // and soon nobody writes them either
    const ready = await untilReadiness(service, ({ message }) => message?.startsWith(NOT_OF_THIS_LOG) === true);
    return {
      ready: ready.status,
      alive: (await fetch(`${service.address}/livez`)).status,
      list: [await statusOf('GET', '/business'), await statusOf('GET', '/document?limit=5')],
      kept: await statusOf('GET', `/business/${kept._id}`),
      lost: await statusOf('GET', `/business/${lost._id}`),
      events: await statusOf('GET', `/business/${kept._id}/events`),
      write: [
        await statusOf('PUT', `/business/${kept._id}`, { phone: '1' }),
        await statusOf('POST', '/business', { name: 'x' }),
      ],
    };
  };

  const REFUSED = {
    ready: 503,
    alive: 200,
    list: [503, 503],
    kept: 200,
    lost: 404,
    events: 200,
    write: [503, 503],
  };

  const REFUSED_COMMANDS = [
    ['projections', 'verify', '--repair'],
    ['projections', 'parked', 'list'],
    ['projections', 'parked', 'retry', 'business-0198f000-0000-7000-8000-000000000001'],
    ['projections', 'rebuild'],
    ['projections', 'rollback', 'businesses'],
  ];

  /** Every command that reads or writes rows says `reason`, ends with 1, and changes nothing. */
  const refuseAll = async (reason: string, ...commands: ReadonlyArray<ReadonlyArray<string>>): Promise<void> => {
    const before = await sql('select * from read_model.businesses order by place');
    for (const command of commands) {
      const ran = await operate(...command);
      expect([ran.code, ran.stdout, ran.stderr.includes(reason)], `${command.join(' ')}: ${ran.stderr}`).to.deep.equal([
        1,
        '',
        true,
      ]);
      expect(ran.stderr, command.join(' ')).to.not.match(/\n +at /);
    }
    expect(await sql('select * from read_model.businesses order by place')).to.deep.equal(before);
    const shown = await operate('projections', 'status', '--json');
    const lines = shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { refused: string | null });
    expect([shown.code, lines.some(({ refused }) => refused?.includes(reason) === true)]).to.deep.equal([1, true]);
    expect(shown.stderr).to.include(reason);
  };

  const names = async (api: Api): Promise<ReadonlyArray<string>> =>
    (await api.json<ReadonlyArray<Business>>('GET', '/business')).map(({ name }) => name);

  it('because the log was restored from an earlier backup, are not served by any process until they are made anew', async () => {
    await cutOff(2);
    const { service, api } = await start();
    const replica = await start({ API_ONLY: 'true' });
    expect([await answers(service, api), await answers(replica.service, replica.api)]).to.deep.equal([
      REFUSED,
      REFUSED,
    ]);
    const advice = 'projections rebuild businesses --from-scratch';
    expect(await outputWith(service, advice))
      .to.include('read model is of another log')
      .and.to.include(advice);
    await refuseAll('--from-scratch', ...REFUSED_COMMANDS);
    const target = await startDouble();
    const copied = await operate('log', 'copy', '--to', target.connectionString, '--cut-over');
    target.close();
    expect([copied.code, copied.stderr.includes('not cut over: The read model')], copied.stderr).to.deep.equal([
      1,
      true,
    ]);

    const rebuilt = await operate('projections', 'rebuild', '--from-scratch', '--json');
    expect([rebuilt.code, rebuilt.stdout.match(/"outcome":"Switched"/g)], rebuilt.stderr).to.deep.equal([
      0,
      Array(3).fill('"outcome":"Switched"'),
    ]);
    for (const each of [service, replica.service]) await untilReady(each, NOTICED);
    const added = await replica.api.send('POST', '/business', { name: 'new' });
    expect([added.status, added.headers.get('X-Projected')]).to.deep.equal([200, null]);
    expect([await names(api), await names(replica.api)]).to.deep.equal([
      ['kept', 'new'],
      ['kept', 'new'],
    ]);
    expect((await operate('projections', 'verify')).code).to.equal(0);
    // of documents, the rows from before the restore have seen nothing that the log lacks
    const tables = `select table_name from information_schema.tables where table_schema = 'read_model'
      and table_type = 'BASE TABLE' and table_name ~ '^businesses_.*_[0-9]+$'`;
    expect(await sql(tables)).to.have.length(1);
    expect((await operate('projections', 'status')).code).to.equal(0);
  });

  it('because the log lacks their last event, are not served either, also when it has grown since', async () => {
    await cutOff(0);
    await sql('update event_log.head set position = 5');
    await sql(`insert into event_log.event select 1, stream, 0, gen_random_uuid(), type, data, metadata from (values (
      'business-0198f000-0000-7000-8000-000000000001', 'BusinessCreated', '{"name":"other"}', '{}')) v (stream, type, data, metadata)`);
    const { service, api } = await start();
    expect((await answers(service, api)).list).to.deep.equal([503, 503]);
  });

  it('because the log is that of another installation, are not served, and made anew only with --from-other-log', async () => {
    await sql('drop schema event_log cascade');
    const { service, api } = await start();
    expect(await answers(service, api)).to.deep.equal({ ...REFUSED, kept: 404, events: 404, write: [404, 503] });
    expect(await outputWith(service, '--from-other-log'))
      .to.include('was made from the log')
      .and.to.include('--from-other-log');
    await refuseAll('--from-other-log', ...REFUSED_COMMANDS, ['projections', 'rebuild', '--from-scratch']);

    expect((await operate('projections', 'rebuild', '--from-other-log')).code).to.equal(0);
    await untilReady(service, NOTICED);
    await api.json('POST', '/business', { name: 'first' });
    expect(await names(api)).to.deep.equal(['first']);
  });

  it('are found when the log is replaced under a running service, and served again when it comes back', async () => {
    const { service, api } = await start({ API_ONLY: 'true' });
    expect(await names(api)).to.deep.equal(['kept', 'lost']);
    const [log] = await sql<{ identity: string }>('select identity from event_log.log');
    await sql('update event_log.log set identity = gen_random_uuid()');
    await untilUnready(service, NOTICED);
    await sql(`update event_log.log set identity = '${log!.identity}'`);
    await untilReady(service, NOTICED);
    expect(await names(api)).to.deep.equal(['kept', 'lost']);
  });

  it('because the log was restored under a running service, are made anew beside it, with nothing to go back to', async () => {
    const { service, api } = await start();
    await cutOff(2);
    // the service may not have noticed yet, or have: the command waits until it has
    const rebuilt = await operate('projections', 'rebuild', '--from-scratch');
    expect([rebuilt.code, rebuilt.stdout.includes('businesses_')], rebuilt.stderr).to.deep.equal([0, true]);
    expect(rebuilt.stdout).to.match(/^businesses: businesses_\w+ is live$/m);
    // of documents, the rows have seen nothing that the log lacks
    expect(rebuilt.stdout).to.match(/^documents: documents_\w+ is live; `projections rollback documents` goes back$/m);
    const found = 'read model is of another log';
    expect(await outputWith(service, found)).to.include(found);
    await untilReady(service, NOTICED);
    const added = await api.send('POST', '/business', { name: 'new' });
    expect([added.status, added.headers.get('X-Projected')]).to.deep.equal([200, null]);
    expect(await names(api)).to.deep.equal(['kept', 'new']);
    expect((await operate('projections', 'verify')).code).to.equal(0);
    expect((await operate('projections', 'rollback', 'businesses')).code).to.equal(1);
  });

  it('are replaced beside the process that writes them, once it has noticed', async () => {
    const { service, api } = await start();
    await sql(`update read_model.instance set log_identity = 'another'`);
    const rebuilt = await operate('projections', 'rebuild', '--from-other-log');
    expect(rebuilt.code, rebuilt.stderr).to.equal(0);
    expect(rebuilt.stdout).to.not.include('rollback');
    await untilReady(service, NOTICED);
    expect(await names(api)).to.deep.equal(['kept', 'lost']);
  });

  it('are not replaced while a process goes on writing them', async () => {
    await sql(`update read_model.instance set log_identity = 'another'`);
    await sql(`update read_model.lease set holder = 'an older program', expires_at = 'infinity'`);
    const refused = await operate('projections', 'rebuild', 'businesses', '--from-other-log');
    expect([refused.code, refused.stderr.includes('an older program writes')], refused.stderr).to.deep.equal([1, true]);
    expect(refused.stderr).to.include('stop or restart that process');
  });
});
