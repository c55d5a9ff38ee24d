import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { idOf } from '../support/client.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

/** What the example of this name prints, run with these variables against the service at `address`. */
const printedBy = async (name: string, address: string, env: Readonly<Record<string, string>>): Promise<string> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'habits-'));
  const example = new RegExp(`<!-- example: ${name} -->\\n\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``);
  const [, script = ''] = example.exec(await readFile('docs/api.md', 'utf8')) ?? [];
  const args = ['-eu', '-c', script.replace('http://localhost:3000', address)];
  const { stdout } = await promisify(execFile)('bash', args, { cwd: directory, env: { ...process.env, ...env } });
  await rm(directory, { recursive: true });
  return stdout;
};

describe('what docs/api.md says to those who write clients', () => {
  const { stack, call } = stackOfSuite();
  const ids: Array<string> = [];
  before(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(idOf(await call('POST', '/business', { body: { name } })));
  });

  it('reads every page by the links, in a shell', async () => {
    const stdout = await printedBy('follow the links', stack().baseUrl, { TOKEN: stack().tokenFor('viewer') });
    expect([...stdout.matchAll(/"_id":"([^"]*)"/g)].map(([, id]) => id)).to.deep.equal(ids);
  });

  it('opens a file by a link for a while, in a shell', async () => {
    const document = idOf(await call('POST', '/document', { body: { name: 'Lease' } }));
    const given = { body: '0123456789', headers: { 'content-type': 'text/plain' } };
    await call('PUT', `/document/${document}/file?originalName=a.txt`, given);
    const env = { TOKEN: stack().tokenFor('viewer'), DOCUMENT: document };
    expect(await printedBy('a link for a while', stack().baseUrl, env)).to.equal('01234567890123');
  });

  it('resolves a link against the address of its answer', async () => {
    const headers = { authorization: `Bearer ${stack().tokenFor('viewer')}` };
    const response = await fetch(`${stack().baseUrl}/api/v1/business?limit=2`, { headers });
    const [, target = ''] = /<(.*)>/.exec(response.headers.get('link') ?? '') ?? [];
    const page = await (await fetch(new URL(target, response.url), { headers })).text();
    expect([...page.matchAll(/"_id":"([^"]*)"/g)].map(([, id]) => id)).to.deep.equal(ids.slice(2, 4));
  });

  it('clears by null and by an empty text, and leaves what is absent', async () => {
    const at = `/business/${ids[0] ?? ''}`;
    await call('PUT', at, { body: { city: 'Berlin', phone: '1', dba: 'A' } });
    const { json } = await call('PUT', at, { body: { city: null, phone: '' } });
    expect(json).to.include({ name: 'a', city: null, phone: null, dba: 'A' });
  });

  it('tells a missing role from a missing token by the code of the error', async () => {
    const missing = await call('POST', '/business', { as: stack().tokenFor('viewer'), body: { name: 'f' } });
    expect(missing.status).to.equal(401);
    expect(missing.json).to.deep.include({ code: 'role_missing', roles: ['editor', 'admin'] });
    expect((await call('GET', '/business', { as: undefined })).json).to.include({ status: 401, code: 'token_missing' });
  });
});
