import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runOperator } from '../support/operator.js';

const ID = '00000000-0000-7000-8000-000000000001';

/** Every command that needs what a service has made. */
const commands = [
  'log verify',
  'log verify business-1',
  'log export',
  'log require-mac --user alice',
  'log seal-decisions --user alice',
  'log key',
  'log replace-key --reason none --user alice',
  'log restart-seal --reason none --user alice',
  'log copy --to postgres://127.0.0.1:9/none',
  'projections status',
  'projections verify',
  'projections parked',
  'projections parked list',
  'projections rebuild businesses',
  'projections rollback businesses',
  'files verify',
  `backup ${path.join(tmpdir(), 'nothing-backed-up')}`,
  `audit pack business/${ID} --out pack.zip`,
  `hold add business/${ID} --reason none --user alice`,
  `hold release business/${ID} --reason none --user alice`,
  'hold list',
  `erase plan business/${ID}`,
  `erase run business/${ID} --basis none --yes --user alice`,
  'erase list',
  'erase rotate-key',
  'events',
  'reads',
  'reads prune --before 2026-01-02T03:04:05Z',
];

describe("the operator's commands where there is nothing", function () {
  this.timeout(180_000);
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'nothing-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  for (const command of commands)
    it(`say so, end with 1 and make nothing: ${command}`, async () => {
      const missing = path.join(directory, 'missing');
      const args = command.split(' ');
      for (const dataDir of [missing, directory]) {
        const { code, stdout, stderr } = await runOperator(args, { env: { DATA_DIR: dataDir }, input: '' });
        expect([code, stdout], stderr).to.deep.equal([1, '']);
        expect(stderr).to.equal(
          `There is no data of a service in ${dataDir}. Set DATA_DIR to the directory of the service, or start the service, which makes one.\n`,
        );
      }
      expect(await readdir(directory)).to.deep.equal([]);
    });

  it('make it where they fill a log, which may then be exported without any event', async () => {
    const dataDir = path.join(directory, 'data');
    const env = { DATA_DIR: dataDir };
    const file = path.join(directory, 'empty.ndjson');
    await writeFile(file, '');
    expect((await runOperator(['log', 'import', file], { env, input: '' })).code).to.equal(0);
    const exported = await runOperator(['log', 'export'], { env, input: '' });
    expect([exported.code, exported.stdout, exported.stderr]).to.deep.equal([0, '', 'exported 0 events\n']);

    const status = await runOperator(['projections', 'status'], { env, input: '' });
    expect([status.code, status.stdout]).to.deep.equal([1, '']);
    expect(status.stderr).to.include('there are no read models yet');
    const files = await runOperator(['files', 'verify'], { env, input: '' });
    expect([files.code, files.stdout, files.stderr]).to.deep.equal([
      1,
      '',
      `the files cannot be opened: there are none in ${path.join(dataDir, 'files')}\n`,
    ]);
    expect(existsSync(path.join(dataDir, 'files'))).to.equal(false);
  });
});
