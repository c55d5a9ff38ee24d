import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { askRun } from '../../support/once-a-run/ask.js';

describe('npm run fuzz', function () {
  this.timeout(180_000);

  before(() => askRun('build'));

  const run = async (...options: ReadonlyArray<string>): Promise<string> => {
    const program = ['--import', 'tsx', 'test/hostile/fuzz/main.ts', ...options];
    return (await promisify(execFile)(process.execPath, program)).stdout;
  };

  it('asks the built service as often as asked, says what it did, and repeats a case', async () => {
    const output = await run('--cases', '250', '--seed', '11', '--workers', '2');
    expect(output).to.match(/^operation .*\nlistBusinesses .*250 of 250 cases in \d+ s with seed 11, 0 failures/s);
    expect(await run('--seed', '11', '--case', '40')).to.match(
      /^case 40: \w+, .*\n {2}> [A-Z-]+ \/[^\n]*\n.*\n {2}< \d{3}\n/s,
    );
  });
});
