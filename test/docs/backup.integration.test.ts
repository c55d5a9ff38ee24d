import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { untilCaughtUp } from '../support/readiness.js';
import { operatorProgram } from '../support/operator.js';
import { JWT_SECRET, type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

const EXAMPLE = /<!-- example: backup -->\n+```sh\n([\s\S]*?)\n```/;
const START = 'DATA_DIR=../restored PORT=3001 npm start';

describe('the backup of docs/production.md', function () {
  this.timeout(300_000);
  let directory: string;
  /** Where the commands are given. */
  let checkout: string;
  let token: string;
  let running: ReadonlyArray<ServiceProcess>;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'backup-'));
    checkout = path.join(directory, 'checkout');
    await mkdir(checkout);
    token = await tokenFor('admin', 'alice');
    running = [];
  });

  afterEach(async () => {
    for (const service of running) service.kill('SIGTERM');
    await Promise.all(running.map(({ exited }) => exited));
    await rm(directory, { recursive: true });
  });

  const start = async (dataDir: string): Promise<ServiceProcess> => {
    const service = await startService({ dataDir: path.join(checkout, dataDir) });
    running = [...running, service];
    return service;
  };

  const upload = async ({ address }: ServiceProcess): Promise<{ readonly _id: string }> => {
    const body = new FormData();
    body.append('name', 'Articles');
    body.append('file', new Blob(['Articles of incorporation\n']), 'articles.txt');
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${address}/api/v1/document`, { method: 'POST', headers, body });
    expect(response.status).to.equal(200);
    return (await response.json()) as { readonly _id: string }; // reason: what a create answers
  };

  it('brings log and files of a running service into another directory', async () => {
    const original = await start('.data');
    const business = await makeApi(original.address, token).json<{ readonly _id: string }>('POST', '/business', {
      name: 'Acme',
    });
    const document = await upload(original);

    const [, commands = ''] = EXAMPLE.exec(await readFile('docs/production.md', 'utf8')) ?? [];
    const [last, ...others] = commands.split('\n').toReversed();
    expect(last).to.equal(START);
    // the same program, which npx would not find from this directory
    const script = others
      .toReversed()
      .join('\n')
      .replaceAll('npx --no-install ops', `'${path.resolve(await operatorProgram())}'`);
    await promisify(execFile)('bash', ['-eu', '-c', script], { cwd: checkout, env: { ...process.env, JWT_SECRET } });
    expect(await readdir(checkout)).to.deep.equal(['.data']);

    const service = await start('../restored');
    const restored = makeApi(service.address, token);
    expect(await restored.json('GET', `/business/${business._id}`)).to.deep.equal(business);
    // lists show what the log has once their rows are made, which may take longer than the start
    await untilCaughtUp(service, 'documents');
    expect(await restored.json<ReadonlyArray<unknown>>('GET', '/document')).to.deep.equal([document]);
    const file = await restored.send('GET', `/document/${document._id}/file`);
    expect(await file.text()).to.equal('Articles of incorporation\n');
  });
});
