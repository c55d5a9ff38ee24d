import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { makeApi } from '../support/api.js';
import { untilUnready } from '../support/readiness.js';
import { forgeToken } from '../support/forge-token.js';
import { runOperator } from '../support/operator.js';
import { hasPlanted, MARK, plant } from '../support/planted.js';
import { freshDatabase } from '../support/postgres.js';
import { outputWith, startService } from '../support/service-process.js';
import { startSeverableProxy } from '../support/severable-proxy.js';

const secret = plant('password');
const encoded = encodeURIComponent(secret);

describe('planted secrets at work', function () {
  this.timeout(180_000);
  let directory: string;
  let database: string;
  let http: string;
  let server: Server;
  let superuser: pg.Client;
  const role = `planted_${randomBytes(6).toString('hex')}`;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'unsaid-'));
    // no key set and no collector: it repeats what it is sent
    server = createServer(({ headers }, response) => {
      response.end(headers.authorization ?? JSON.stringify(headers));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // reason: a server that listens on TCP has such an address
    http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    database = await freshDatabase();
    superuser = new pg.Client({ connectionString: database });
    await superuser.connect();
    await superuser.query(`create role ${role} superuser login password ${pg.escapeLiteral(secret)}`);
  });
  after(async () => {
    await superuser.query(`drop role ${role}`).catch(() => undefined);
    await superuser.end();
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });

  const saidBy = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Promise<string> => {
    const { code, stdout, stderr } = await runOperator(args, { env: { DATA_DIR: directory, ...env } });
    return `${code}\n${stdout}${stderr}`;
  };
  const expectUnsaid = (said: string, what: string): void => {
    if (hasPlanted(said)) expect.fail(`${what}: a secret was printed:\n${said}`);
  };

  it('are in nothing that a service says, answers, starts or stores while what it needs is away', async () => {
    const proxy = await startSeverableProxy(
      Object.assign(new URL(database), { username: role, password: encoded }).href,
    );
    const [dataDir, temporary, made] = ['data', 'temporary', 'made'].map((name) => path.join(directory, name));
    if (dataDir === undefined || temporary === undefined || made === undefined) throw new Error('three were named');
    for (const each of [temporary, made]) await mkdir(each);
    const key = (await saidBy(['log', 'new-key', 'planted.example/records'], {})).split('\n')[1] ?? '';
    const env = {
      ...{ DATABASE_URL: proxy.url, TMPDIR: temporary, LOG_LEVEL: 'trace', CHECKPOINT_KEY: key, DATA_DIR: dataDir },
      ...{ LINK_KEY: plant('links') },
      ...{ SNAPSHOT_KEY: plant('snapshot'), EVENT_KEY: plant('event'), METRICS_TOKEN: plant('metrics', true) },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: http, OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encoded}` },
      ...{ OTEL_LOG_LEVEL: 'all', OTEL_BSP_SCHEDULE_DELAY: '100', PGPASSWORD: secret },
    };
    const service = await startService({ dataDir, env: { ...env, JWT_SECRET: plant('tokens') } });
    const byKeySet = await startService({
      dataDir,
      env: { ...env, JWT_SECRET: '', JWKS_URI: http.replace('//', `//a:${MARK}@`) }, // short: some errors quote short texts alone
    });
    try {
      const claims = { sub: 'alice', roles: 'admin', exp: 9_999_999_999 };
      const headers = { accept: 'application/problem+json' };
      const token = forgeToken({ alg: 'HS256' }, claims, 'HS256', plant('tokens'));
      const unknown = `Bearer ${['{"alg":"RS256","kid":"it"}', JSON.stringify(claims), ''].map((part) => Buffer.from(part).toString('base64url')).join('.')}AAAA`;
      const answers: Array<string> = [];
      const ask = async (address: string, at: string, authorization: string): Promise<number> => {
        const response = await fetch(address + at, { headers: { ...headers, authorization } });
        answers.push(JSON.stringify([...response.headers]), await response.text());
        return response.status;
      };
      const business = await makeApi(service.address, token).json('POST', '/business', { name: 'planted here' });
      expect(await ask(byKeySet.address, '/api/v1/business', unknown)).to.equal(503);
      for (const at of ['/readyz', '/metrics', '/openapi.json'])
        expect(await ask(service.address, at, `Bearer ${env.METRICS_TOKEN}`), at).to.equal(200);
      expect(business).to.be.an('object');

      const results: Array<string> = [];
      for (const args of [
        ['log', 'export'],
        ['log', 'key'],
        ['log', 'verify', '--json'],
        ['projections', 'status', '--json'],
        ['projections', 'verify', '--json'],
        ['events', '--json'],
        ['backup', path.join(made, 'backup'), '--json'],
      ]) {
        const said = await saidBy(args, env);
        expect(said, args.join(' ')).to.match(/^0\n/);
        results.push(said);
      }

      proxy.sever();
      await untilUnready(service);
      expect(await ask(service.address, '/readyz', '')).to.equal(503);
      expect(await ask(service.address, '/api/v1/business', `Bearer ${token}`)).to.equal(503);
      results.push(await saidBy(['projections', 'verify', '--json'], env));
      await outputWith(service, 'not ready');

      const processes = await readFile(`/proc/${service.pid}/cmdline`, 'utf8').catch(() => '');
      for (const [what, texts] of Object.entries({
        answers,
        results,
        processes: [processes],
        log: [service.output(), byKeySet.output()],
        names: await readdir(directory, { recursive: true }),
      }))
        for (const text of texts) {
          expectUnsaid(text, what);
          expect(text.includes(key), what).to.equal(false);
        }
      for (const root of [dataDir, temporary, made])
        for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
          if (entry.isFile()) {
            const text = await readFile(path.join(entry.parentPath, entry.name), 'latin1');
            expectUnsaid(text, entry.name);
            expect(text.includes(key), entry.name).to.equal(false);
          }
    } finally {
      for (const each of [service, byKeySet]) each.kill('SIGKILL');
      await Promise.all([service.exited, byKeySet.exited]);
      await proxy.close();
    }
  });
});
