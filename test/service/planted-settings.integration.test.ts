import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/config.js';
import { withSecretFiles } from '../../src/config/secret-files.js';
import { runOperator } from '../support/operator.js';
import { hasPlanted, plant } from '../support/planted.js';
import { freshDatabase } from '../support/postgres.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { startService } from '../support/service-process.js';

type Env = Readonly<Record<string, string>>;

/** How a setting can be wrong although it is read, with a secret in it; none: whatever is no value of it is refused. */
type Faults = Readonly<Record<string, (at: Places) => Env>>;

type Places = { readonly database: string; readonly http: string; readonly s3: Env };

const secret = plant('password');
const encoded = encodeURIComponent(secret);

const postgresAt = (host: string, more = ''): Env => ({ DATABASE_URL: `postgres://app:${encoded}@${host}/app${more}` });

const postgres: Faults = {
  'a closed port': () => postgresAt('127.0.0.1:1'),
  'a host that is not found': () => postgresAt('db.invalid'),
  'a wrong password': ({ database }) => ({
    DATABASE_URL: Object.assign(new URL(database), { password: encoded }).href,
  }),
  'TLS to a server without': ({ database }) => ({
    DATABASE_URL: Object.assign(new URL(database), { password: encoded, search: '?sslmode=verify-full' }).href,
  }),
  'a server of something else': ({ http }) => postgresAt(new URL(http).host),
  'an unknown option': () => postgresAt('127.0.0.1:1', `?sslmod=${encoded}`),
  'a certificate that is not there': () => postgresAt('127.0.0.1:1', '?sslrootcert=/nowhere'),
};

const logServerAt = (scheme: string, host: string, more = ''): Env => ({
  EVENTSTOREDB_URL: `${scheme}://app:${encoded}@${host}${more}`,
});

const logServer: Faults = {
  ...Object.fromEntries(
    ['esdb', 'kurrentdb', 'kurrent', 'kdb', 'kurrentdb+discover'].map((scheme) => [
      scheme === 'esdb' ? 'a closed port' : `a closed port by ${scheme}`,
      () => logServerAt(scheme, '127.0.0.1:1'),
    ]),
  ),
  'a host that is not found': () => logServerAt('esdb', 'log.invalid'),
  'a server of something else': ({ http }) => logServerAt('esdb', new URL(http).host, '?tls=false'),
  'TLS to a server without': ({ http }) => logServerAt('esdb', new URL(http).host),
  'an unknown option': () => logServerAt('kdb', '127.0.0.1:1', `?tsl=${encoded}`),
};

const filesAt = (endpoint: string): Env => ({
  ...{ S3_ENDPOINT: endpoint, S3_BUCKET: 'files', S3_REGION: 'us-east-1' },
  ...{ S3_ACCESS_KEY: plant('access', true), S3_SECRET_KEY: secret },
});

const files: Faults = {
  'a closed port': () => filesAt('http://127.0.0.1:1'),
  'a host that is not found': () => filesAt('http://files.invalid'),
  'TLS to a server without': ({ http }) => filesAt(http.replace('http:', 'https:')),
  'a server that repeats what it is sent': ({ http }) => filesAt(http),
  'a wrong key': ({ s3 }) => ({ ...s3, S3_SECRET_KEY: secret }),
};

/** Each setting, by its faults beyond that it cannot be read. A new setting has to say which these are. */
const FAULTS: Readonly<Record<string, Faults>> = {
  DATABASE_URL: postgres,
  EVENTSTOREDB_URL: logServer,
  S3_ENDPOINT: files,
  ...Object.fromEntries(
    [
      ...['NODE_ENV', 'PORT', 'HOST', 'DATA_DIR', 'DATABASE_URL_FILE', 'DATABASE_CONNECT_TIMEOUT'],
      'S3_CHECKPOINT_BUCKET',
      ...['S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_REGION', 'SNAPSHOT_KEY', 'EVENT_KEY', 'CHECKPOINT_KEY'],
      ...[
        'CHECKPOINT_ORIGIN',
        'SEALING',
        'WITNESS_POLICY',
        'TSA_URL',
        'JWT_SECRET',
        'JWT_PUBLIC_KEY',
        'JWKS_URI',
        'JWT_ISSUER',
        'JWT_AUDIENCE',
      ],
      ...['METRICS_TOKEN', 'MAX_UPLOAD_BYTES', 'PUBLIC_DOCUMENT_LIST', 'AUDIT_API', 'CORS_ORIGINS', 'PUBLIC_URL'],
      ...['ACCESS_RECORD', 'LINK_KEY', 'ERASURE', 'ERASURE_KEY'],
      ...['LOG_LEVEL', 'RATE_LIMIT', 'MAX_CONNECTIONS', 'MAX_CONNECTIONS_PER_ADDRESS', 'ROLLBACK_WINDOW'],
      ...['VERIFY_PERIOD', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'API_ONLY', 'PROJECTOR_ONLY'],
    ].map((name) => [name, {}]),
  ),
};

/** The names of all variables that the program asks for, and of those that can be read from a file. */
const asked = (): { readonly settings: ReadonlyArray<string>; readonly inFiles: ReadonlyArray<string> } => {
  const names = new Set<string>();
  const noting = () =>
    new Proxy<Record<string, string>>({}, { get: (_, name) => (names.add(String(name)), undefined) });
  readConfig(noting());
  const settings = [...names].sort();
  names.clear();
  withSecretFiles(noting(), () => '');
  return { settings, inFiles: [...names].sort() };
};

/** Several at once: most wait for a server. */
const AT_ONCE = 6;
const eachOf = async <A>(rows: ReadonlyArray<A>, work: (row: A) => Promise<void>): Promise<void> => {
  const left = [...rows];
  const next = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) await work(row);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
};

describe('planted secrets', function () {
  this.timeout(180_000);
  let directory: string;
  let places: Places;
  let server: Server;
  let s3: S3Server;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'unsaid-'));
    // a server that is none of those that are looked for, and repeats what it is sent
    server = createServer(({ headers }, response) => {
      response.statusCode = headers['x-amz-date'] === undefined ? 200 : 403;
      response.end(headers.authorization ?? JSON.stringify(headers));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // reason: a server that listens on TCP has such an address
    const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    s3 = await startS3Server();
    const database = await freshDatabase();
    places = { database, http, s3: s3.env };
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await s3.close();
    await rm(directory, { recursive: true });
  });

  /** What a start of the service that fails, or a command of the operator, says. */
  const saidAtStart = (env: Env, dataDir: string): Promise<string> =>
    startService({ dataDir, env }).then(async (service) => {
      service.kill('SIGKILL');
      await service.exited;
      return `it started\n${service.output()}`;
    }, String);
  const saidBy = async (args: ReadonlyArray<string>, env: Env): Promise<string> => {
    const { code, stdout, stderr } = await runOperator(args, { env: { DATA_DIR: directory, ...env } });
    return `${code}\n${stdout}${stderr}`;
  };
  const expectUnsaid = (said: string, what: string): void => {
    if (hasPlanted(said)) expect.fail(`${what}: a secret was printed:\n${said}`);
  };

  it('are tried with every setting', () => {
    expect(asked().settings).to.deep.equal(Object.keys(FAULTS).sort());
  });

  it('are in no fault of a setting that cannot be read, with blanks around them or without', async () => {
    const { settings } = asked();
    const names = settings.filter((name) => !['NODE_ENV', 'DATA_DIR', 'DATABASE_URL_FILE'].includes(name));
    await eachOf([secret, ` ${secret}\n`, encoded, '\n', '-'], async (value) => {
      const env = Object.fromEntries(names.map((name) => [name, value]));
      const [service, operator] = [await saidAtStart(env, directory), await saidBy(['log', 'verify'], env)];
      for (const said of [service, operator]) {
        expect(said).to.include('The configuration is not valid');
        expectUnsaid(said, value);
      }
    });
  });

  it('are in no fault of a file that cannot be taken', async () => {
    const contents: Readonly<Record<string, string>> = {
      ...{ garbage: secret, blank: '\n', lines: `${secret}\n${secret}\n` },
    };
    await eachOf(Object.entries(contents), async ([name, text]) => {
      const file = path.join(directory, name);
      await writeFile(file, text, { mode: name === 'lines' ? 0o622 : 0o600 });
      const said = await saidBy(['log', 'verify'], Object.fromEntries(asked().inFiles.map((each) => [each, file])));
      expect(said).to.include('The configuration is not valid');
      expectUnsaid(said, name);
    });
  });

  for (const [setting, faults] of Object.entries(FAULTS))
    if (Object.keys(faults).length > 0)
      it(`are not said of ${setting} with a fault that shows at its use, by the service or by a command`, async () => {
        const command = setting === 'S3_ENDPOINT' ? ['files', 'verify'] : ['log', 'verify', '--json'];
        await eachOf(Object.entries(faults), async ([fault, of]) => {
          const env = of(places);
          const said = await saidBy(command, env);
          expect(said, fault).to.match(/^[12]\n./s);
          expectUnsaid(said, fault);
          const location = env[setting] ?? '';
          if (!/^a closed port$|option/.test(fault) || setting === 'S3_ENDPOINT') return;
          expectUnsaid(await saidBy(['log', 'copy', '--from', location, '--to', 'embedded'], {}), fault);
        });
      });

  it('are not said of an address that is given in the wrong place', async () => {
    const address = `postgres://app:${encoded}@127.0.0.1:1/app`;
    const wrong = [[address], ['log', address], ['log', 'copy', `--frm=${address}`], ['help', address]].concat(
      ...[[['log', 'import', address]], [['log', 'copy', '--from', `my${address}`, '--to', address]]],
      [
        ['backup', `${directory}/${address}`],
        ['log', 'verify', '--against', address],
      ],
    );
    await eachOf(wrong, async (args) => expectUnsaid(await saidBy(args, postgresAt('127.0.0.1:1')), args.join(' ')));
  });
});
