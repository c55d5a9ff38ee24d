import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { groups, ungrouped } from '../../src/cli/commands.js';
import { makeApi } from '../support/api.js';
import { needs } from '../support/needs.js';
import { operatorProgram, runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { JWT_SECRET, type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

type Env = Readonly<Record<string, string>>;

/** A command, and the installation it is for where that is not the one of the running service. */
type Row = { readonly args: ReadonlyArray<string>; readonly env?: Env };

type Ended = { readonly code: unknown; readonly stderr: string };

/** Runs a program whose standard output is a disk without a free byte. */
const onFullDisk = (program: string, args: ReadonlyArray<string>, env: Env): Promise<Ended> => {
  const { PATH = '', HOME = '' } = process.env;
  const shell = ['-c', '"$@" >/dev/full', 'bash', process.execPath, program, ...args];
  return new Promise((resolve) => {
    const child = execFile('bash', shell, { env: { PATH, HOME, ...env } }, (error, _, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stderr }),
    );
    child.stdin?.end();
  });
};

const LOST = /^standard output could not be written \(ENOSPC: .*\): what it has is not complete$/m;

describe('a command whose standard output is a full disk', function () {
  this.timeout(300_000);

  let directory: string;
  let service: ServiceProcess;
  let env: Env;
  let checkpointKey: string;
  let rows: Readonly<Record<string, Row>>;

  /** An installation that has nothing yet. */
  const emptyInstallation = async (name: string): Promise<Env> => ({
    DATA_DIR: path.join(directory, name),
    DATABASE_URL: await freshDatabase(),
    JWT_SECRET,
    EVENT_KEY: 'the event key of every installation here',
    CHECKPOINT_KEY: checkpointKey,
    ERASURE: 'true',
    ERASURE_KEY: 'the erasure key of every installation here',
  });

  const expectLost = async (program: string, { args, env: own }: Row): Promise<void> => {
    const { code, stderr } = await onFullDisk(program, args, own ?? env);
    expect(code, `${args.join(' ')}: ${stderr}`).to.equal(1);
    expect(stderr, args.join(' ')).to.match(LOST);
  };

  before(async function () {
    needs(this, existsSync('/dev/full'), '/dev/full');
    directory = await mkdtemp(path.join(tmpdir(), 'lost-output-'));
    const newKey = async (): Promise<string> => (await runOperator(['log', 'new-key', 'log.example.com'])).stdout;
    checkpointKey = (await newKey()) + (await newKey());
    env = await emptyInstallation('data');
    service = await startService({ dataDir: path.join(directory, 'data'), env });
    const api = makeApi(service.address, await tokenFor('admin', 'alice'));
    const { _id: id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'Acme' });
    const { _id: erased } = await api.json<{ readonly _id: string }>('POST', '/document', { name: 'Deed' });
    const [backup, exported] = [path.join(directory, 'backup'), path.join(directory, 'log.ndjson')];
    const done = async (...args: ReadonlyArray<string>): Promise<string> => {
      const { code, stdout, stderr } = await runOperator(args, { env });
      expect(code, stderr).to.equal(0);
      return stdout;
    };
    await writeFile(exported, await done('log', 'export'));
    await done('backup', backup);
    // so that there are previous rows to roll back to
    await done('projections', 'rebuild', 'businesses', '--switch', 'always');
    const target = await freshDatabase();
    rows = {
      'log verify': { args: [] },
      'log export': { args: [] },
      'log import': { args: [exported], env: await emptyInstallation('imported') },
      'log copy': { args: ['--to', target] },
      'log require-mac': { args: ['--user', 'alice'] },
      'log seal-decisions': { args: ['--user', 'alice'] },
      'log key': { args: ['--all'] },
      'log new-key': { args: ['log.example.com'] },
      'projections status': { args: [] },
      'projections verify': { args: [] },
      'projections parked': { args: ['list'] },
      'projections rebuild': { args: ['businesses', '--switch', 'always'] },
      'projections rollback': { args: ['businesses'] },
      'files verify': { args: [] },
      'audit pack': { args: [`business/${id}`, '--out', path.join(directory, 'pack.zip')] },
      backup: { args: [path.join(directory, 'another')] },
      restore: { args: [backup], env: await emptyInstallation('restored') },
      events: { args: ['--csv'] },
      reads: { args: ['--csv'] },
      hold: { args: ['list'] },
      'erase plan': { args: [`document/${erased}`] },
      'erase run': { args: [`document/${erased}`, '--basis', 'a trial', '--yes', '--user', 'alice'] },
      'erase list': { args: [] },
      'erase rotate-key': { args: [] },
      migrate: { args: [] },
      'log replace-key': { args: ['--reason', 'a trial', '--user', 'alice'] },
      // last, because checkpoints begin anew with it
      'log restart-seal': { args: ['--reason', 'a trial', '--user', 'alice', '--force'] },
    };
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await rm(directory, { recursive: true });
  });

  it('says so, and never ends with 0: every command', async () => {
    const inGroups = Object.entries(groups).flatMap(([group, { commands }]) =>
      Object.keys(commands).map((command) => `${group} ${command}`),
    );
    expect(Object.keys(rows)).to.have.members([...inGroups, ...Object.keys(ungrouped)]);
    const program = await operatorProgram();
    for (const [command, row] of Object.entries(rows))
      await expectLost(program, { ...row, args: [...command.split(' '), ...row.args] });
    await expectLost(program, { args: ['completion', 'bash'] });
    // what is no output was done all the same, and whole
    const { code, stdout } = await runOperator(['backup', path.join(directory, 'another'), '--verify'], { env });
    expect([code, stdout.endsWith(': all whole\n')], stdout).to.deep.equal([0, true]);
    expect((await readFile(path.join(directory, 'pack.zip'))).subarray(0, 2).toString()).to.equal('PK');
  });

  it('says so, and never ends with 0: the help of every command, and what makes tokens', async () => {
    const ops = await operatorProgram();
    for (const command of Object.keys(rows)) await expectLost(ops, { args: [...command.split(' '), '--help'] });
    const token = path.join(path.dirname(ops), 'token.js');
    for (const args of [[], ['--help']]) await expectLost(token, { args });
  });
});
