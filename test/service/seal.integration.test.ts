import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { type Checkpoint, openCheckpoint } from '../../src/seal/checkpoint.js';
import { parseVerifier } from '../../src/seal/note-key.js';
import { makeApi } from '../support/api.js';
import { type Readiness, readinessOf, untilCaughtUp, untilReadiness } from '../support/readiness.js';
import { untilFiles } from '../support/until-files.js';
import { untilSigned } from '../support/until-signed.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD } from '../support/tamper.js';

const ORIGIN = 'log.example.com/test';
const WARNING = 'no checkpoint is signed: the log does not extend what was signed before';

type Kept = { readonly origin: string; readonly size: number; readonly note: string };

describe('the seal of a service', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let env: Readonly<Record<string, string>>;
  let pool: pg.Pool;
  let services: Array<ComposedService>;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'seal-'));
    const url = await freshDatabase();
    const { stdout } = await runOperator(['log', 'new-key', ORIGIN]);
    env = { DATA_DIR: dataDir, DATABASE_URL: url, CHECKPOINT_KEY: stdout.trim() };
    pool = new pg.Pool({ connectionString: url, max: 2 });
    services = [];
  });

  afterEach(async () => {
    await Promise.all(services.map(({ stop }) => stop()));
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const service = await startComposed({ dataDir, env: { ...env, ...more } });
    services.push(service);
    return { service, api: makeApi(service.address, await tokenFor('admin', 'alice')) };
  };

  const recorded = async (): Promise<ReadonlyArray<Kept>> => {
    const { rows } = await pool.query<Kept>(
      `select origin, size::int as size, note from seal.checkpoint order by number`,
    );
    return rows;
  };

  /** What is recorded once the service that was started last hands out a checkpoint of so many events. */
  const newest = async (size: number, origin = ORIGIN): Promise<Kept | undefined> => {
    await untilSigned(services.at(-1)!, size, (note) => note.startsWith(`${origin}\n`));
    return (await recorded()).at(-1);
  };

  /** The contents of the files below a folder. */
  const archived = async (): Promise<ReadonlyArray<string>> => {
    const folder = path.join(dataDir, 'files', 'checkpoints');
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile());
    return Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')));
  };

  const keys = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
    (await runOperator(['log', 'key', ...args], { env })).stdout.trim().split('\n');

  const opened = (note: string, key: string | undefined): Checkpoint | string => {
    const verifier = parseVerifier(key ?? '');
    if (E.isLeft(verifier)) return verifier.left;
    const checkpoint = openCheckpoint(Buffer.from(note), [verifier.right]);
    return E.isLeft(checkpoint) ? checkpoint.left : checkpoint.right;
  };

  /** Those of the seal: what the verification finds meanwhile is tested beside this. */
  const isWarned = ({ warnings = [] }: Readiness): boolean => warnings.includes(WARNING);

  it('is in Postgres soon after a write, and in the file storage, where the last one is put at a stop', async () => {
    const { service, api } = await start();
    await api.json('POST', '/business', { name: 'first' });
    const first = await newest(1);
    const [key] = await keys();
    expect(opened(first?.note ?? '', key)).to.include({ origin: ORIGIN, size: 1 });
    await untilFiles(path.join(dataDir, 'files', 'checkpoints'));
    expect(await archived()).to.deep.equal([first?.note]);
    await api.json('POST', '/business', { name: 'second' });
    await service.stop();
    const last = (await recorded()).at(-1);
    expect(opened(last?.note ?? '', key)).to.include({ size: 2 });
    expect(await archived()).to.have.members([first?.note, last?.note]);
  });

  it('cannot be changed or removed in Postgres by who does not own the table', async () => {
    const { api } = await start();
    await api.json('POST', '/business', { name: 'first' });
    await newest(1);
    for (const statement of [
      `update seal.checkpoint set size = 2`,
      `delete from seal.checkpoint`,
      `truncate seal.checkpoint`,
      `set session_replication_role = replica; delete from seal.checkpoint`,
    ]) {
      const refused: unknown = await pool.query(statement).catch((error: unknown) => error);
      expect(String(refused)).to.match(/of seal\.checkpoint is refused: a checkpoint .* is never changed or removed/);
    }
  });

  it('waits when all that the database knows was cut, until an operator restarts it', async () => {
    const before = await start();
    for (const name of ['first', 'second', 'third']) await before.api.json('POST', '/business', { name });
    await before.service.stop();
    // what the owner of the database can do
    await pool.query(LIFT_GUARD);
    await pool.query('delete from event_log.event where position = (select max(position) from event_log.event)');
    await pool.query('update event_log.head set position = (select max(position) from event_log.event)');
    await pool.query('drop schema read_model cascade; drop schema seal cascade');

    const { service, api } = await start();
    await untilReadiness(service, isWarned);
    const removed = 'the log has fewer events than a checkpoint says: events were removed';
    expect(await outputWith(service, removed)).to.include(removed);
    expect(await recorded()).to.deep.equal([]);
    const { _id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'fourth' });
    await api.json('PUT', `/business/${_id}`, { name: 'fifth' });
    await untilCaughtUp(service, 'businesses');
    expect(await api.json<ReadonlyArray<unknown>>('GET', '/business')).to.have.length(3);
    const differs = 'the log does not begin with the events that a checkpoint is about';
    expect(await outputWith(service, differs)).to.include(differs);
    expect([await recorded(), isWarned(await readinessOf(service))]).to.deep.equal([[], true]);
    const metrics = await (await api.send('GET', '/../../metrics')).text();
    expect(metrics).to.match(/^seal_faults_total\{kind="Differs"\} 1$/m);

    const restarted = await runOperator(['log', 'restart-seal', '--reason', 'restored a backup', '--user', 'olga'], {
      env,
    });
    expect(restarted).to.deep.equal({
      code: 0,
      stdout: `recorded: checkpoints are signed as ${ORIGIN}/2 from now on; those of ${ORIGIN} stay\n`,
      stderr: '',
    });
    const signed = await newest(5, `${ORIGIN}/2`);
    const all = await keys('--all');
    expect(all.length).to.equal(2);
    expect([opened(signed?.note ?? '', all[1]), await keys()]).to.deep.equal([
      opened(signed?.note ?? '', (await keys())[0]),
      [all[1]],
    ]);
    expect(opened(signed?.note ?? '', all[0])).to.be.a('string');
    await untilReadiness(service, (readiness) => !isWarned(readiness));
    const sizes = (await archived()).map((note) => opened(note, all[0])).filter((one) => typeof one !== 'string');
    expect(sizes.map(({ size }) => size)).to.include(3);
    const verified = await runOperator(['log', 'verify'], { env });
    expect(verified.stdout).to.match(
      new RegExp(
        `^checkpoints of ${ORIGIN}, an earlier origin: 0 in Postgres, \\d in the file storage, up to 3 events;`,
        'm',
      ),
    );
    expect(verified.stdout).to.match(
      new RegExp(
        `^seal restarted at \\S+ by olga: ${ORIGIN}/2 in place of ${ORIGIN}, because: restored a backup$`,
        'm',
      ),
    );
    expect(verified.code).to.equal(0);
  });

  it('is off where there is no key, or the settings say so, and the service says it', async () => {
    const { service } = await start({ CHECKPOINT_KEY: '' });
    expect(await outputWith(service, 'no checkpoints are signed')).to.include('no checkpoints are signed');
    await service.stop();
    const silent = await start({ CHECKPOINT_KEY: '', SEALING: 'false' });
    expect(silent.service.output()).not.to.include('no checkpoints are signed');
  });

  it('is switched off, and on again, by a decision that is a leaf of the tree', async () => {
    const first = await start({ SEALING: 'false' });
    await first.api.json('POST', '/business', { name: 'before anything was signed' });
    await first.service.stop();
    const before = await start();
    await before.api.json('POST', '/business', { name: 'first' });
    await newest(2);
    await before.service.stop();

    const off = await start({ SEALING: 'false' });
    const said = 'checkpoints are not signed any more: recorded in the log';
    expect(await outputWith(off.service, said)).to.include(said);
    await off.api.json('POST', '/business', { name: 'second' });
    await off.service.stop();
    const stillOff = await start({ CHECKPOINT_KEY: '' });
    await stillOff.api.json('POST', '/business', { name: 'third' });
    await stillOff.service.stop();

    const on = await start();
    const again = 'checkpoints are signed again: recorded in the log';
    expect(await outputWith(on.service, again)).to.include(again);
    await newest(6);
    const listed = await on.api.send('GET', '/../../audit/v1/events?entityType=Decision');
    const decisions = (await listed.json()) as ReadonlyArray<Readonly<Record<string, unknown>>>; // reason: as documented
    expect(decisions.map(({ index, name, data, user }) => [index, name, data, user])).to.deep.equal([
      [2, 'SealingSwitched', { isOn: false }, 'the settings of the service'],
      [5, 'SealingSwitched', { isOn: true }, 'the settings of the service'],
    ]);
    const listedBefore = await on.api.json<ReadonlyArray<unknown>>('GET', '/business');
    expect(listedBefore).to.have.length(4);
  });

  it('refuses to be restarted while the log extends its checkpoints, unless it is forced', async () => {
    const { service, api } = await start();
    await api.json('POST', '/business', { name: 'first' });
    await newest(1);
    const args = ['log', 'restart-seal', '--reason', 'yearly rotation', '--user', 'chief-auditor'];
    const refused = await runOperator(args, { env });
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.match(
      new RegExp(
        `^not recorded: the tree extends every checkpoint of ${ORIGIN}, so that nothing calls for another origin;`,
      ),
    );
    expect((await runOperator([...args, '--force'], { env })).code).to.equal(0);
    expect(await newest(2, `${ORIGIN}/2`)).to.include({ size: 2, origin: `${ORIGIN}/2` });
    await service.stop();
  });

  it('goes on with another key without a restart, and a process without that key signs nothing more', async () => {
    const first = env['CHECKPOINT_KEY'] ?? '';
    const { stdout: second } = await runOperator(['log', 'new-key', ORIGIN]);
    env = { ...env, CHECKPOINT_KEY: `# since 2026\n${first}\n\n${second}` };
    const both = await start();
    await both.api.json('POST', '/business', { name: 'first' });
    const kept = await newest(1);
    const replace = ['log', 'replace-key', '--reason', 'once a year', '--user', 'olga'];
    const { code, stdout, stderr } = await runOperator(replace, { env });
    const [old, inForce] = await keys('--all');
    expect({ code, stdout, stderr }).to.deep.equal({
      ...{ code: 0, stderr: '' },
      stdout: `recorded: checkpoints of ${ORIGIN} are signed by ${inForce} from now on; ${old} has signed the first 1 event, and nothing more\n`,
    });
    expect(await keys()).to.deep.equal([inForce]);
    const signed = await newest(2);
    expect([opened(kept?.note ?? '', old), opened(signed?.note ?? '', inForce)].map((one) => typeof one)).to.deep.equal(
      ['object', 'object'],
    );
    const said = 'the key of the checkpoints was replaced: another one signs them from now on';
    expect(await outputWith(both.service, said)).to.include(said);
    await both.service.stop();

    const [file] = [path.join(dataDir, 'kept')];
    await writeFile(file, kept?.note ?? '');
    for (const key of [second.trim(), `${second}${first}`]) {
      const verified = await runOperator(['log', 'verify', '--against', file], {
        env: { ...env, CHECKPOINT_KEY: key },
      });
      expect(verified.stdout, verified.stderr).to.match(/^checkpoints: all fit$/m);
      expect(verified.stdout).to.include(`after 1 event: ${inForce} in place of ${old}, because: once a year`);
      expect(verified.code).to.equal(0);
    }

    const alone = await start({ CHECKPOINT_KEY: first });
    await alone.api.json('POST', '/business', { name: 'second' });
    const lacks = `CHECKPOINT_KEY does not have the one that signs now: ${inForce}`;
    expect(await outputWith(alone.service, lacks)).to.include(lacks);
    await alone.service.stop();
    expect((await recorded()).map(({ size }) => size)).to.deep.equal([1, 2]);
    const refused = await runOperator(replace, { env });
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.match(/^not recorded: CHECKPOINT_KEY has no key that could replace the one in force/);

    const after = await start({ CHECKPOINT_KEY: second.trim() });
    expect(opened((await newest(3))?.note ?? '', inForce)).to.include({ size: 3 });
    const listed = await after.api.send('GET', '/../../audit/v1/events?entityType=Decision');
    // reason: as documented
    const [decision] = (await listed.json()) as ReadonlyArray<Readonly<Record<string, unknown>>>;
    expect(decision).to.include({ index: 1, name: 'CheckpointKeyReplaced', user: 'olga' });
    expect(decision?.['data']).to.include({ reason: 'once a year', size: 1, replaced: old, key: inForce });
    expect(decision?.['message']).to.equal(
      'the key of the checkpoints was replaced: another one signs them from here on',
    );
    await after.service.stop();
  });

  it('refuses keys of several names, and another one in place of the first without a decision', async () => {
    const first = env['CHECKPOINT_KEY'] ?? '';
    const { stdout: other } = await runOperator(['log', 'new-key', `${ORIGIN}/other`]);
    const failed: unknown = await start({ CHECKPOINT_KEY: `${first}\n${other}` }).catch((error: unknown) => error);
    expect(String(failed)).to.include(
      `CHECKPOINT_KEY: expected keys of one name, because one replaces another (${ORIGIN}, ${ORIGIN}/other)`,
    );
    const { service, api } = await start();
    await api.json('POST', '/business', { name: 'first' });
    await newest(1);
    await service.stop();
    const { stdout: second } = await runOperator(['log', 'new-key', ORIGIN]);
    env = { ...env, CHECKPOINT_KEY: second + first };
    const refused = await runOperator(['log', 'replace-key', '--reason', 'once a year'], { env });
    expect([refused.code, refused.stderr]).to.deep.equal([
      1,
      `not recorded: the checkpoint of 1 event of ${ORIGIN} is not signed by the first key of CHECKPOINT_KEY, nor by one before it: put the key that signs now first\n`,
    ]);
    expect((await runOperator(['log', 'key', '--changes'], { env })).stderr).to.equal(
      `no key of the origin ${ORIGIN} was replaced\n`,
    );
  });

  it('does not start with a key that is none, and does not print it', async () => {
    const key = `${env['CHECKPOINT_KEY'] ?? ''}x`;
    const failed: unknown = await start({ CHECKPOINT_KEY: key }).catch((error: unknown) => error);
    expect(String(failed)).to.match(/CHECKPOINT_KEY: the signing key is not of the form name\+id\+base64/);
    expect(String(failed)).not.to.include(key.split('+').at(-1));
  });
});
