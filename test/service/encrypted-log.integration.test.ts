import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../support/api.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { encryptedInstallation } from '../support/encrypted-installation.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { tokenFor } from '../support/service-process.js';

const MARKER = 'Zweihundertachtzig Grad';

type Shown = { readonly _id: string; readonly name: string };
type Event = { readonly name: string; readonly data: object };

describe('a log whose data is encrypted', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let env: Record<string, string>;
  let pool: pg.Pool;
  let service: ComposedService;
  let api: Api;
  let business: string;
  let document: string;
  let answered: unknown;

  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<void> => {
    service = await startComposed({ dataDir, env: { ...env, ...settings } });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  };

  const shown = async () => ({
    business: await api.json('GET', `/business/${business}`),
    history: await api.json('GET', `/business/${business}/events?diff=true&proof=true`),
    document: await api.json('GET', `/document/${document}`),
    list: await api.json('GET', '/business'),
  });

  const whyNot = (settings: Readonly<Record<string, string>> = {}): Promise<string> =>
    startComposed({ dataDir, env: { ...env, ...settings } }).then(
      async ({ stop }) => {
        await stop();
        return 'it starts';
      },
      (error: unknown) => String(error),
    );

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'encrypted-'));
    env = await encryptedInstallation(dataDir);
    pool = new pg.Pool({ connectionString: env['DATABASE_URL'] });
    await start();
    business = (await api.json<Shown>('POST', '/business', { name: MARKER, ein: '12-3456789' }))._id;
    await api.json('POST', `/business/${business}/owner`, { user: MARKER, title: 'CEO' });
    await api.json('PUT', `/business/${business}`, { dba: MARKER });
    document = (await api.json<Shown>('POST', '/document', { name: MARKER, description: MARKER }))._id;
    answered = await shown();
  });

  after(async () => {
    await service.stop();
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  it('shows what was written, and the log holds none of it', async () => {
    const history = await api.json<ReadonlyArray<Event>>('GET', `/business/${business}/events`);
    expect(history.map(({ name, data }) => [name, data])).to.deep.equal([
      ['BusinessCreated', { name: MARKER, ein: '12-3456789' }],
      ['BusinessOwnerAdded', { user: MARKER, title: 'CEO', equity: null }],
      ['BusinessUpdated', { changes: { dba: MARKER } }],
    ]);
    const { rows } = await pool.query<{ data: string; metadata: string }>(
      `select data, metadata from event_log.event where stream like 'business-%' or stream like 'document-%'`,
    );
    expect(rows.length).to.equal(4);
    for (const { data, metadata } of rows) {
      expect(data).to.match(/^\{"\$encrypted":"[\w-]+"\}$/);
      expect(metadata).not.to.include('salt');
    }
    expect(JSON.stringify(rows)).not.to.include('Zweihundert');
  });

  it('is answered the same by another process that has the keys', async () => {
    await service.stop();
    await start();
    expect(await shown()).to.deep.equal(answered);
  });

  it('is verified, exported, rebuilt and compared as it was written', async () => {
    const ran = async (...args: ReadonlyArray<string>) => {
      const { code, stdout, stderr } = await runOperator(args, { env });
      return [code, code === 0 ? stdout : stderr];
    };
    const [verified, saying] = await ran('log', 'verify');
    expect([verified, saying]).to.deep.equal([0, saying]);
    expect(await ran('log', 'export')).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes(MARKER),
    );
    const [rebuilt, said] = await ran('projections', 'rebuild');
    expect([rebuilt, String(said).match(/(it is|are) the same/g)?.length]).to.deep.equal([0, 3], String(said));
    expect(await ran('projections', 'verify')).to.satisfy(([code]: [number]) => code === 0);
    expect(await shown()).to.deep.equal(answered);
  });

  it('is encrypted anew, under keys of its own, where it is imported', async () => {
    const { stdout: exported } = await runOperator(['log', 'export'], { env });
    const other = { ...env, DATABASE_URL: await freshDatabase(), DATA_DIR: path.join(dataDir, 'other') };
    const plain = { ...other, DATABASE_URL: await freshDatabase(), ERASURE: 'false' };
    const refused = await runOperator(['log', 'import'], { env: plain, input: exported });
    expect([refused.code, refused.stderr.includes('set ERASURE, and repeat the import')]).to.deep.equal([1, true]);
    const imported = await runOperator(['log', 'import'], { env: other, input: exported });
    expect(imported.code, imported.stderr).to.equal(0);
    const log = new pg.Client({ connectionString: other.DATABASE_URL });
    await log.connect();
    const { rows } = await log.query<{ data: string }>(
      `select data from event_log.event where stream like 'business-%' or stream like 'document-%'`,
    );
    await log.end();
    expect(rows.map(({ data }) => data.startsWith('{"$encrypted":"'))).to.deep.equal([true, true, true, true]);
    const verified = await runOperator(['log', 'verify'], { env: other });
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
    expect((await runOperator(['log', 'export'], { env: other })).stdout.split('\n').slice(0, 5)).to.deep.equal(
      exported.split('\n').slice(0, 5),
    );
  });

  it('is not opened without its keys, with others, or where nobody says that it is encrypted', async () => {
    await service.stop();
    expect(await whyNot({ ERASURE: 'false' })).to.include('the data of this log is encrypted, and ERASURE is not true');
    expect(await whyNot({ ERASURE_KEY: 'another key of thirty-two bytes at least' })).to.include(
      'no line of ERASURE_KEY opens the keys of this log',
    );
    await pool.query('alter table erasure.key_tree rename to kept');
    expect(await whyNot()).to.include('the keys of this log are missing');
    const { code, stderr } = await runOperator(['log', 'verify'], { env });
    expect([code, stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('are missing'));
    await pool.query('alter table erasure.kept rename to key_tree');
    await pool.query(`update erasure.key_tree set tree = 'another'`);
    expect(await whyNot()).to.include('are those of another log');
  });
});
