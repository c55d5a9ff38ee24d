import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stackOfSuite } from '../support/stack-of-suite.js';

const EXAMPLE = /<!-- example: put file -->\n\n```sh\n([\s\S]*?)```/;
const CONTENT = 'month,rent\n1,900\n';

describe('the file by itself of docs/api.md', () => {
  const { stack, call } = stackOfSuite();
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'put-file-'))));
  afterEach(() => rm(directory, { recursive: true }));

  it('comes in and out as it says', async () => {
    await writeFile(path.join(directory, 'rent.csv'), CONTENT);
    const [, script = ''] = EXAMPLE.exec(await readFile('docs/api.md', 'utf8')) ?? [];
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-eu', '-c', script.replace('http://localhost:3000', stack().baseUrl)],
      { cwd: directory, env: { ...process.env, TOKEN: stack().tokenFor('editor') } },
    );
    const [document] = (await call('GET', '/document')).json as ReadonlyArray<object>;
    expect(document).to.include({ name: 'Lease', originalName: 'rent.csv', mimeType: 'text/csv', size: 17 });
    expect(stdout).to.equal(JSON.stringify(document) + CONTENT);
  });
});
