import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { freePort } from '../../src/infrastructure/embedded/server/acquire-server.js';
import { type Api, makeApi } from '../support/api.js';
import { untilReady } from '../support/readiness.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { launchService, type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { type SeverableProxy, startSeverableProxy } from '../support/severable-proxy.js';

const statusOf = (url: string, init?: RequestInit): Promise<number> =>
  fetch(url, init).then(
    ({ status }) => status,
    () => 0,
  );

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it started',
    (error: unknown) => String(error),
  );

describe('a database at the start', function () {
  this.timeout(120_000);
  let dataDir: string;
  let database: string;
  let token: string;
  let proxy: SeverableProxy;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'at-start-'));
    database = await freshDatabase();
    token = await tokenFor('admin', 'alice');
    proxy = await startSeverableProxy(database);
  });
  afterEach(async () => {
    await proxy.close();
    await rm(dataDir, { recursive: true });
  });

  const sql = async (...statements: ReadonlyArray<string>): Promise<void> => {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  const end = async (service: ServiceProcess): Promise<unknown> => {
    service.kill('SIGTERM');
    return service.exited;
  };

  const write = (api: Api) => api.send('POST', '/business', { name: 'Acme' });

  /** A service whose database is away, from when it says so on. */
  const startWaiting = async (url = proxy.url) => {
    const PORT = String(await freePort());
    const address = `http://127.0.0.1:${PORT}`;
    const { outputOnce, started: starting } = await launchService({ dataDir, env: { DATABASE_URL: url, PORT } });
    const failed = failure(starting);
    await outputOnce((output) => output.includes('waiting for the database'));
    return { address, starting, failed };
  };

  for (const how of ['sever', 'mute'] as const)
    it(`is waited for, and everything but /livez is 503 meanwhile (${how})`, async () => {
      proxy[how]();
      const { address, starting } = await startWaiting();
      const readiness = await fetch(`${address}/readyz`);
      expect([await statusOf(`${address}/livez`), readiness.status]).to.deep.equal([200, 503]);
      expect(await readiness.json()).to.include({ code: 'not_ready', message: 'Not ready: event log' });
      for (const url of ['/api/v1/business', '/openapi.json', '/metrics', '/nothing'])
        expect(await statusOf(`${address}${url}`), url).to.equal(503);
      expect(await statusOf(`${address}/api/v1/business`, { method: 'POST', body: '{}' })).to.equal(503);
      proxy.mend();
      const service = await starting;
      expect(service.address).to.equal(address);
      expect(await statusOf(`${address}/readyz`)).to.equal(200);
      expect((await write(makeApi(address, token))).status).to.equal(200);
      expect(service.output()).to.include('waiting for the database');
      expect(await end(service)).to.equal(0);
    });

  it('that answers at last and refuses the password ends the start', async () => {
    const wrong = Object.assign(new URL(proxy.url), { password: 'wrong' }).href;
    proxy.sever();
    const { failed } = await startWaiting(wrong);
    proxy.mend();
    expect(await failed)
      .to.include('ended with 1')
      .and.to.include('password authentication failed');
  });

  it('that can never be used ends the start with a sentence', async () => {
    const wrong = {
      'password authentication failed': Object.assign(new URL(database), { password: 'wrong' }),
      'does not exist': Object.assign(new URL(database), { pathname: '/nowhere' }),
      'does not support SSL': Object.assign(new URL(database), { search: '?sslmode=verify-full' }),
    };
    for (const [sentence, url] of Object.entries(wrong))
      expect(await failure(startService({ dataDir, env: { DATABASE_URL: url.href } })))
        .to.include('ended with 1')
        .and.to.include(sentence);
  });

  it('is not waited for by an operator’s command', async () => {
    proxy.sever();
    for (const command of ['log verify', 'projections status', 'migrate']) {
      const { code, stderr } = await runOperator(command.split(' '), {
        env: { DATA_DIR: dataDir, DATABASE_URL: proxy.url },
      });
      expect([code, stderr.trim().split('\n')], stderr).to.have.nested.property('[1].length', 1);
      expect(code, stderr).to.equal(1);
    }
  });

  it('that only reads is not ready for writes, and gets well by itself', async () => {
    const name = new URL(database).pathname.slice(1);
    const first = await startService({ dataDir, env: { DATABASE_URL: database } });
    expect((await write(makeApi(first.address, token))).status).to.equal(200);
    await end(first);

    await sql(`alter database ${name} set default_transaction_read_only = on`);
    const service = await startService({ dataDir, env: { DATABASE_URL: database } });
    const api = makeApi(service.address, token);
    expect((await api.send('GET', '/business')).status).to.equal(200);
    const readiness = await fetch(`${service.address}/readyz`);
    expect(await readiness.json()).to.include({ message: 'Not ready: a database that takes writes' });
    expect((await write(api)).status).to.equal(503);

    await sql('set default_transaction_read_only = off', `alter database ${name} reset default_transaction_read_only`);
    await untilReady(service);
    expect((await write(api)).status).to.equal(200);
    expect(await end(service)).to.equal(0);
  });
});
