import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { untilFiles } from '../support/until-files.js';
import { makeApi } from '../support/api.js';
import { needs } from '../support/needs.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { hasOpenssl, SmallTsa } from '../support/small-tsa.js';

describe('a service whose checkpoints are given timestamps', function () {
  this.timeout(startingPostgres * 3);
  let dataDir: string;
  let tsa: SmallTsa;
  let services: Array<ComposedService>;

  before(function () {
    needs(this, hasOpenssl(), 'openssl, which plays the authority');
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stamped-'));
    tsa = new SmallTsa();
    await tsa.start();
    services = [];
  });
  afterEach(async () => {
    await Promise.all(services.map(({ stop }) => stop()));
    await tsa.stop();
    await rm(dataDir, { recursive: true });
  });

  it('keeps them beside the checkpoints in the file storage, where openssl verifies them, and goes on without', async () => {
    const { stdout } = await runOperator(['log', 'new-key', 'log.example.com/stamped']);
    const env = { DATA_DIR: dataDir, DATABASE_URL: await freshDatabase(), CHECKPOINT_KEY: stdout.trim() };
    const start = async (name: string): Promise<ComposedService> => {
      const service = await startComposed({ dataDir, env: { ...env, TSA_URL: tsa.url } });
      services.push(service);
      await makeApi(service.address, await tokenFor('admin', 'alice')).json('POST', '/business', { name });
      return service;
    };
    tsa.status = 503;
    const first = await start('Acme');
    expect(await outputWith(first, 'the TSA has given no timestamp')).to.include('answers with the status 503');
    await first.stop();

    tsa.status = 200;
    const second = await start('Bolt');
    const folder = path.join(dataDir, 'files', 'checkpoints', 'timestamps');
    const stamped = await untilFiles(folder);
    expect(stamped).to.have.lengthOf(1);
    const [file = ''] = stamped;
    const note = await readFile(file.replace(`${path.sep}timestamps`, ''), 'utf8');
    expect(tsa.verify(note, await readFile(file))).to.equal(0);
    const verified = await runOperator(['log', 'verify'], { env });
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
    expect(second.output()).not.to.include('what stands among the checkpoints in the file storage is none');
  });
});
