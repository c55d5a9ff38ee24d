import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { operatorProgram } from './support/operator.js';
import { JWT_SECRET, type ServiceProcess, startService } from './support/service-process.js';
import { masked, runSteps, stepsOf } from './support/worked-example.js';

describe('the README', function () {
  this.timeout(400_000);

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
    const program = path.resolve(await operatorProgram());
    const written = stepsOf(await readFile('README.md', 'utf8'));
    const steps = written.map((step) => ({
      ...step,
      commands: step.commands
        .replace('http://127.0.0.1:3000', service.address)
        .replaceAll('npm run', `npm --prefix '${process.cwd()}' run`)
        // the same program, which npx would not find from this directory
        .replaceAll('npx --no-install ops', `'${program}'`),
    }));
    const [, events] = /^(\d+) events in/.exec(steps.find(({ name }) => name === 'operate')?.printed ?? '') ?? [];
    /** The command of the last step finds a checkpoint of all events, which the service signs within a second or two. */
    const untilSigned = (times: number): string =>
      `for _ in $(seq 600); do [ "$(curl -s '${service.address}/tlog/checkpoint' | sed -n 2p)" = ${Number(events) * times} ] && break; sleep 0.1; done\n`;
    const promised = steps.map(({ name, printed }) => ({ name, printed: masked(printed ?? '') }));
    const env = { ...process.env, JWT_SECRET, DATA_DIR: path.join(directory, 'data') };
    for (const [index, time] of ['the first time', 'the second time'].entries()) {
      const run = steps.map((step) =>
        step.name === 'operate' ? { ...step, commands: untilSigned(index + 1) + step.commands } : step,
      );
      const printed = await runSteps(run, { directory, env });
      const found = steps.map(({ name }, step) => ({ name, printed: masked(printed[step] ?? '') }));
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
