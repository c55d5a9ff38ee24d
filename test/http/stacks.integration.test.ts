import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = 'test/http';

/** The suites that run on whatever stack the environment names. */
const suites = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => path.join(FOLDER, name))
  .filter((file) => /^import .*\bstartStack\b.* from '\.\.\/support\/stack\.js';$/m.test(readFileSync(file, 'utf8')));

const mocha = (stack: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ['node_modules/mocha/bin/mocha.js', ...suites, '--reporter', 'dot'];
    const env = { ...process.env, STACK: stack };
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${stack}:\n${stdout}${stderr}`));
    });
  });

describe('the HTTP suites', function () {
  this.timeout(900_000);

  it('pass on Postgres and disk', () => mocha('embedded'));

  it('pass on EventStoreDB, Postgres and S3', () => mocha('eventstoredb-s3'));
});
