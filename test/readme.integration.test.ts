import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { operatorProgram } from './support/operator.js';
import { JWT_SECRET, type ServiceProcess, startService } from './support/service-process.js';
import { masked, runSteps, stepsOf } from './support/worked-example.js';

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
    const promised = steps.map(({ name, printed }) => ({ name, printed: masked(printed ?? '') }));
    const env = { ...process.env, JWT_SECRET, DATA_DIR: path.join(directory, 'data') };
    for (const time of ['the first time', 'the second time']) {
      const printed = await runSteps(steps, { directory, env });
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
