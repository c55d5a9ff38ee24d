import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { groups, ungrouped } from '../../src/cli/commands.js';
import { needs } from '../support/needs.js';
import { operatorProgram, runOperator, runOperatorAlone } from '../support/operator.js';

const run = promisify(execFile);

/** The version in package.json, as the program prints it. */
const version = async (): Promise<string> => {
  const { version: written } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string }; // reason: ours
  return `${written}\n`;
};

const helpOf = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await runOperator(args);
  expect(code, stderr).to.equal(0);
  return stdout;
};

/** The names below `Commands:` in a help. */
const listedIn = (help: string): ReadonlyArray<string> =>
  [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);

describe('the program of the operator', function () {
  this.timeout(300_000);

  it('is found by npx in a checkout, and neither compiled nor asked for anywhere', async () => {
    const program = await operatorProgram();
    const { mtimeMs } = await stat(program);
    const cache = await mkdtemp(path.join(tmpdir(), 'npx-'));
    try {
      const env = { ...process.env, npm_config_cache: cache, npm_config_registry: 'http://127.0.0.1:9' };
      const { stdout } = await run('npx', ['--no-install', 'ops', '--version'], { env });
      expect(stdout).to.equal(await version());
      expect((await stat(program)).mtimeMs).to.equal(mtimeMs);
    } finally {
      await rm(cache, { recursive: true });
    }
  });

  it('can be run by its name, with a heap that is limited as the one of the service', async () => {
    const program = path.resolve(await operatorProgram());

    const reporting = `import{getHeapStatistics}from'node:v8';console.log(getHeapStatistics().heap_size_limit/1048576)`;
    const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${reporting}` };
    const { stdout } = await run(program, ['--version'], { env });
    const [limit = '', printed] = stdout.split('\n');
    expect(`${printed}\n`).to.equal(await version());
    // of the old generation 380 MiB, the rest is the young one
    expect(Number(limit)).to.be.within(380, 600);
  });

  it('loads the modules of no command to print its version', async () => {
    const { stderr } = await run(process.execPath, [await operatorProgram(), '--version'], {
      env: { ...process.env, NODE_DEBUG: 'esm' },
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(stderr).to.include('run-ops.js');
    for (const module of ['registry.js', 'fp-ts', 'node_modules/pg/', '/list-events.js'])
      expect(stderr).not.to.include(module);
  });

  it('lists the commands of a group, each of which has the name that it is loaded by', async () => {
    for (const [name, { commands }] of Object.entries(groups))
      expect(listedIn(await helpOf('help', name)), name).to.deep.equal(Object.keys(commands));
    expect(listedIn(await helpOf('--help'))).to.deep.equal([
      ...Object.keys(groups),
      ...Object.keys(ungrouped),
      'completion',
      'help',
    ]);
  });

  it('shows the help of one command, however deep it is', async () => {
    expect(await helpOf('help', 'log', 'verify')).to.equal(await helpOf('log', 'verify', '--help'));
    const parked = await helpOf('help', 'projections', 'parked', 'skip');
    expect(parked).to.match(/^Usage: ops projections parked skip/);
    expect(parked).to.include('--reason <text>');
  });

  it('says of a command that there is none, and ends with 2', async () => {
    for (const args of [['nothing'], ['log', 'nothing'], ['help', 'log', 'nothing'], ['log', 'constructor']]) {
      const { code, stdout, stderr } = await runOperatorAlone(args);
      expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
      expect(stderr).to.match(/^error: unknown command '[a-z ]+'\n/);
    }
  });

  it('is run by npm, as runbooks do', async () => {
    await operatorProgram();
    const { stdout } = await run('npm', ['run', '-s', 'ops', '--', '--version']);
    expect(stdout).to.equal(await version());
  });

  it('ends quietly with 141 when the reader of its output has gone', async () => {
    const program = path.resolve(await operatorProgram());
    // the reader has ended before anything is written
    const command = `exec 3> >(:); wait $!; '${program}' help log >&3; echo "$?"`;
    const { stdout, stderr } = await run('bash', ['-c', command]);
    expect([stdout, stderr]).to.deep.equal(['141\n', '']);
  });

  it('says that its output was lost to a full disk, and does not end with 0', async function () {
    needs(this, existsSync('/dev/full'), '/dev/full');
    const program = path.resolve(await operatorProgram());
    for (const args of ['--help', '--version', 'help log verify', 'log --help']) {
      const { stdout, stderr } = await run('bash', ['-c', `'${program}' ${args} >/dev/full; echo "$?"`]);
      expect(stdout, args).to.equal('1\n');
      expect(stderr, args).to.match(
        /^standard output could not be written \(ENOSPC: .*\): what it has is not complete\n$/,
      );
    }
  });
});
