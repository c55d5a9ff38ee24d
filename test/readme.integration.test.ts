import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { JWT_SECRET, type ServiceProcess, startService } from './support/service-process.js';

/** A step of the worked example: its commands, and what the README says they print. */
type Step = { readonly name: string; readonly commands: string; readonly printed: string | undefined };

const EXAMPLE = /<!-- example: (\S+) -->\n+```sh\n([\s\S]*?)\n```(?:\n+```(?:json|text)\n([\s\S]*?)\n```)?/g;

const stepsOf = (readme: string): ReadonlyArray<Step> =>
  [...readme.matchAll(EXAMPLE)].map(([, name = '', commands = '', printed]) => ({ name, commands, printed }));

const END_OF_STEP = '=== end of step ===';

/** Runs the steps in one shell, as a reader would type them, and gives what each of them printed. */
const run = (steps: ReadonlyArray<Step>, directory: string): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const script = steps.map(({ commands }) => `${commands}\necho; echo "${END_OF_STEP}"`).join('\n');
    const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
      cwd: directory,
      env: { ...process.env, JWT_SECRET, DATA_DIR: path.join(directory, 'data') },
    });
    let printed = '';
    let complaints = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    shell.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    shell.on('close', (code) => {
      if (code === 0) resolve(printed.split(END_OF_STEP).map((text) => text.trim()));
      else reject(new Error(`the example ended with ${String(code)}:\n${printed}\n${complaints}`));
    });
  });

/** What differs from run to run, written as the README writes it. */
const masked = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '…')
    .replace(/"[0-9a-f]{64}"/g, '"…"')
    .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"…"')
    .replace(/\},\n\{/g, '},{')
    .replace(/\b\d+ (events|streams)\b/g, '… $1');

describe('the README', function () {
  this.timeout(120_000);

  let directory: string;
  let service: ServiceProcess;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'readme-'));
    service = await startService({ dataDir: path.join(directory, 'data') });
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await rm(directory, { recursive: true });
  });

  it('has a worked example that prints what it says, and the same again on the data that it has left', async () => {
    const written = stepsOf(await readFile('README.md', 'utf8'));
    const steps = written.map((step) => ({
      ...step,
      commands: step.commands
        .replace('http://127.0.0.1:3000', service.address)
        .replaceAll('npm run', `npm --prefix '${process.cwd()}' run`),
    }));
    const promised = steps.map(({ name, printed }) => ({ name, printed: masked(printed ?? '') }));
    for (const time of ['the first time', 'the second time']) {
      const printed = await run(steps, directory);
      const found = steps.map(({ name }, index) => ({ name, printed: masked(printed[index] ?? '') }));
      expect(found, time).to.deep.equal(promised);
    }
    expect(steps.map(({ name }) => name)).to.include.members([
      'create',
      'update',
      'upload',
      'events',
      'as-of',
      'proof',
      'operate',
    ]);
  });
});
