import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrateErasure } from '../../../src/infrastructure/postgres/erasure/key-state.js';
import { type Api, makeApi } from '../../support/api.js';
import { type ComposedService, startComposed } from '../../support/composed-service.js';
import { encryptedInstallation } from '../../support/encrypted-installation.js';
import { documentFilesIn } from '../../support/files-below.js';
import { outputOfOperator, runOperator, startOperator } from '../../support/operator.js';
import { startingPostgres } from '../../support/postgres.js';
import { tokenFor } from '../../support/service-process.js';
import { untilBlocked } from '../../support/until-blocked.js';
import { uploadDocument } from '../../support/upload-document.js';

type Shown = { readonly _id: string };
type Event = { readonly name: string; readonly data: object };

describe('ops restore --erasures', function () {
  this.timeout(startingPostgres * 8);
  let home: string;
  let env: Record<string, string>;
  let backup: string;
  let list: string;
  let ids: { readonly shared: string; readonly sole: string; readonly passport: string; readonly late: string };
  let service: ComposedService | undefined;
  let api: Api;

  const installation = (name: string) => encryptedInstallation(path.join(home, name));

  const start = async (of: Record<string, string>): Promise<void> => {
    service = await startComposed({ dataDir: of['DATA_DIR'] ?? '', env: of });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  };

  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };

  const create = async (name: string): Promise<string> => (await api.json<Shown>('POST', '/business', { name }))._id;

  const ops = (of: Record<string, string>, ...args: ReadonlyArray<string>) => outputOfOperator(args, of);

  const restore = (of: Record<string, string>, ...args: ReadonlyArray<string>) =>
    runOperator(['restore', backup, '--user', 'dpo', ...args], { env: of });

  const listed = async (of: Record<string, string>) =>
    (await ops(of, 'erase', 'list', '--json'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>); // reason: a line is an object

  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'later-erasures-'));
    // the account of Postgres has to enter it
    await chmod(home, 0o755);
    backup = path.join(home, 'backup');
    list = path.join(home, 'erasures.ndjson');
    env = await installation('first');
    await start(env);
    const [shared, sole] = [await create('Shared'), await create('Sole-MARKER')];
    await api.json('POST', `/business/${shared}/owner`, { user: 'john', title: 'CEO-MARKER' });
    const passport = await uploadDocument(service?.address ?? '', 'Passport', 'MARKER');
    await ops(env, 'hold', 'add', `business/${sole}`, '--reason', 'a claim');
    await ops(env, 'backup', backup);
    await ops(env, 'hold', 'release', `business/${sole}`, '--reason', 'settled');
    await api.json('PUT', `/business/${shared}/owner/john`, { title: 'CEO-MARKER 2' });
    const late = await create('Late-MARKER');
    ids = { shared, sole, passport, late };
    const subjects = ['owner/john', `business/${sole}`, `document/${passport}`, `business/${late}`];
    for (const [index, subject] of subjects.entries())
      await ops(env, 'erase', 'run', subject, '--basis', `ticket ${index + 1}`, '--yes');
    await writeFile(list, await ops(env, 'erase', 'list', '--json'));
    await stop();
  });

  afterEach(stop);

  after(() => rm(home, { recursive: true }));

  it('erases what was erased after the backup, of what the backup has', async () => {
    const restored = await installation('restored');
    const { code, stdout, stderr } = await restore(restored, '--replace', '--erasures', list);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('erased 3 records by 3 later erasures');
    expect(stderr).to.include(
      `business/${ids.late}: the backup is from before what was erased of it, and has nothing of that`,
    );
    expect((await documentFilesIn(restored['DATA_DIR'] ?? '')).length).to.equal(0);
    expect((await listed(restored)).map(({ user, basis, records, isComplete }) => [user, basis, records, isComplete]))
      // what comes after the backup is none of the restored log
      .to.deep.equal([
        ['dpo', 'ticket 1', [{ stream: `business-${ids.shared}`, events: [[1, 1]] }], true],
        ['dpo', 'ticket 2', [{ stream: `business-${ids.sole}`, events: 'all' }], true],
        ['dpo', 'ticket 3', [{ stream: `document-${ids.passport}`, events: 'all' }], true],
      ]);
    expect(await ops(restored, 'hold', 'list')).to.include('no record is held');
    const again = await restore(restored, '--replace', '--erasures', list);
    expect([again.code, again.stdout]).to.satisfy(
      ([exit, text]: [number, string]) => exit === 0 && text.startsWith('it is restored already'),
    );

    await start(restored);
    for (const where of [`/business/${ids.sole}`, `/document/${ids.passport}`, `/document/${ids.passport}/file`])
      expect((await api.send('GET', where)).status, where).to.equal(404);
    const history = await api.json<ReadonlyArray<Event>>('GET', `/business/${ids.shared}/events`);
    expect(history.map(({ name, data }) => [name, data])).to.deep.equal([
      ['BusinessCreated', { name: 'Shared' }],
      ['BusinessOwnerAdded', {}],
      ['BusinessErased', { events: [[1, 1]], basis: 'ticket 1' }],
    ]);
    // the revision that was erased elsewhere is another event here, which has its key
    await api.json('POST', `/business/${ids.shared}/owner`, { user: 'bob' });
    expect((await api.json<{ owners: ReadonlyArray<object> }>('GET', `/business/${ids.shared}`)).owners).to.deep.equal([
      { user: 'bob', title: null, equity: null },
    ]);
    const everything = await ops(restored, 'log', 'export');
    expect([everything.includes('Shared'), everything.includes('MARKER')]).to.deep.equal([true, false]);
    for (const command of ['log', 'files']) await ops(restored, command, 'verify');
  });

  it('goes on where it was killed, and not without the list', async () => {
    const restored = await installation('killed');
    const pool = new pg.Pool({ connectionString: restored['DATABASE_URL'], max: 2 });
    try {
      await migrateErasure(pool);
      await pool.query(`create function erasure.wait() returns trigger language plpgsql
        as $$ begin perform pg_advisory_xact_lock(42); return new; end $$`);
      await pool.query(
        'create trigger waits before update on erasure.key_tree for each row execute function erasure.wait()',
      );
      const holder = await pool.connect();
      await holder.query('select pg_advisory_lock(42)');
      const { child, done } = await startOperator(['restore', backup, '--erasures', list], { env: restored });
      await untilBlocked(pool, { of: 'keys', query: 'update erasure.key_tree%' });
      child.kill('SIGKILL');
      await done;
      await holder.query('select pg_advisory_unlock(42)');
      holder.release();

      const without = await restore(restored);
      expect([without.code, without.stderr]).to.satisfy(
        ([exit, text]: [number, string]) => exit === 1 && text.includes('give the same --erasures again'),
      );
      const { code, stderr } = await restore(restored, '--erasures', list);
      expect(code, stderr).to.equal(0);
      expect((await listed(restored)).map(({ basis, isComplete }) => [basis, isComplete])).to.deep.equal([
        ['ticket 1', true],
        ['ticket 2', true],
        ['ticket 3', true],
      ]);
      expect(await ops(restored, 'log', 'verify')).to.include('by 3 recorded erasures');
    } finally {
      await pool.end();
    }
  });

  it('refuses what it cannot carry out, before anything is restored', async () => {
    const lines = (await ops(env, 'erase', 'list', '--json')).trim();
    const files = {
      cut: lines.slice(0, -10),
      other: lines.replace(/"log":"[^"]+"/, '"log":"0198f000-0000-4000-8000-000000000001"'),
      empty: '\n',
      backwards: lines.replace('[[1,2]]', '[[2,1]]'),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(home, name), text);
    const restored = await installation('refused');
    const refused = async (name: string, of: Record<string, string> = restored): Promise<string> => {
      const { code, stderr } = await restore(of, '--erasures', path.join(home, name));
      expect(code, stderr).to.equal(1);
      return stderr.replaceAll(`${home}/`, '').replace(/and the backup is one of .*/, '…');
    };
    const from = 'not restored from backup: ';
    expect([
      await refused('cut'),
      await refused('other'),
      await refused('empty'),
      await refused('backwards'),
      (await refused('nowhere')).split(':').slice(0, 2).join(':'),
      await refused('erasures.ndjson', { ...restored, ERASURE: 'false' }),
    ]).to.deep.equal([
      `${from}line 4 of cut is none that \`ops erase list --json\` prints\n`,
      `${from}line 1 of other is an erasure of the log 0198f000-0000-4000-8000-000000000001, …\n`,
      `${from}empty has no erasure: without one, leave --erasures out\n`,
      `${from}line 1 of backwards is none that \`ops erase list --json\` prints\n`,
      `${from}nowhere cannot be read`,
      `${from}nothing can be erased without ERASURE: set it, and ERASURE_KEY\n`,
    ]);
    // what was restored without the list is not said to be erased
    expect((await restore(restored)).code).to.equal(0);
    expect(await refused('erasures.ndjson')).to.include('it is restored already, without these erasures');
  });

  it('refuses a log that is not encrypted', async () => {
    const { ERASURE: _erasure, ...plain } = await installation('plain');
    await start(plain);
    await create('Plain');
    const directory = path.join(home, 'plain-backup');
    await ops(plain, 'backup', directory);
    const { code, stderr } = await runOperator(['restore', directory, '--erasures', list], {
      env: await installation('plain-restored'),
    });
    expect([code, stderr.replaceAll(`${home}/`, '')]).to.deep.equal([
      1,
      'not restored from plain-backup: the data of its log is not encrypted, so that nothing of it can be erased\n',
    ]);
  });

  it('restores into a data directory that is there and empty, with the keys of the backup', async () => {
    const embedded = { DATA_DIR: path.join(home, 'embedded'), ERASURE: 'true' };
    await start(embedded);
    const [kept, gone] = [await create('Kept'), await create('Gone-MARKER')];
    const directory = path.join(home, 'embedded-backup');
    await stop();
    await ops(embedded, 'backup', directory);
    await start(embedded);
    await ops(embedded, 'erase', 'run', `business/${gone}`, '--basis', 'ticket 9', '--yes');
    await stop();
    await writeFile(path.join(home, 'one'), await ops(embedded, 'erase', 'list', '--json'));
    const restored = { DATA_DIR: path.join(home, 'embedded-restored'), ERASURE: 'true' };
    await mkdir(restored.DATA_DIR);
    await ops(restored, 'restore', directory, '--erasures', path.join(home, 'one'));
    expect((await listed(restored)).map(({ user, basis }) => [user, basis])).to.deep.equal([
      [userInfo().username, 'ticket 9'],
    ]);
    await start(restored);
    expect((await api.send('GET', `/business/${gone}`)).status).to.equal(404);
    expect((await api.send('GET', `/business/${kept}`)).status).to.equal(200);
  });
});
