import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { makeApi } from '../../support/api.js';
import { contentOf } from '../../support/bodies.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { type S3Server, startS3Server } from '../../support/s3-server.js';
import { type ServiceProcess, startService, tokenFor } from '../../support/service-process.js';

/** Each store has its own. */
const POSITION = /"position":"\d+"/g;

describe('a backup of one stack', function () {
  this.timeout(startingPostgres + 540_000);
  let directory: string;
  let server: S3Server;
  let service: ServiceProcess;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-stacks-'));
    server = await startS3Server();
  });
  afterEach(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await server.close();
    await rm(directory, { recursive: true });
  });

  it('is restored into another, where it goes on: from Postgres and S3 to the embedded default, back, and to EventStoreDB', async () => {
    const stack = { DATABASE_URL: await freshDatabase(), ...server.env };
    const [dataDir, copy, backup] = ['stack', 'copy', 'backup'].map((name) => path.join(directory, name));
    const token = await tokenFor('admin', 'alice');
    service = await startService({ dataDir: dataDir ?? '', env: stack });
    const upload = async (content: Buffer): Promise<void> => {
      const body = formOf({ name: 'name', content: 'a' }, { name: 'file', content, filename: 'a.bin' });
      const headers = { authorization: `Bearer ${token}`, 'content-type': FORM_TYPE };
      const response = await fetch(`${service.address}/api/v1/document`, { method: 'POST', headers, body });
      expect(response.status).to.equal(200);
    };
    await makeApi(service.address, token).json('POST', '/business', { name: 'Acme' });
    await upload(contentOf(10));
    const run = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>): Promise<string> => {
      const { code, stdout, stderr } = await runOperator(args, { env });
      expect(code, stdout + stderr).to.equal(0);
      return stdout;
    };
    const there = { DATA_DIR: dataDir ?? '', ...stack };
    const here = { DATA_DIR: copy ?? '' };
    await run(there, 'backup', backup ?? '');
    await upload(contentOf(2_000_000));
    expect(await run(there, 'backup', backup ?? '')).to.match(/^backed up 1 new event, 1 file of 2000000 bytes;/);
    await run(here, 'restore', backup ?? '', '--replace');
    expect(await run(here, 'log', 'export')).to.equal(await run(there, 'log', 'export'));
    expect(await run(here, 'files', 'verify')).to.match(/^2 files .*: each there and as its event says\n$/);
    // the copy has the same log, which the next backup recognizes
    expect(await run(here, 'backup', backup ?? '')).to.match(/^backed up 0 new events, 0 files/);

    const other = await startS3Server();
    try {
      const back = { DATA_DIR: path.join(directory, 'back'), DATABASE_URL: await freshDatabase(), ...other.env };
      await run(back, 'restore', backup ?? '');
      expect(await run(back, 'log', 'export')).to.equal(await run(there, 'log', 'export'));
      expect(await run(back, 'files', 'verify')).to.match(/^2 files .*: each there and as its event says\n$/);
    } finally {
      await other.close();
    }

    const double = await startDouble();
    try {
      const moved = {
        ...{ DATA_DIR: path.join(directory, 'moved'), DATABASE_URL: await freshDatabase() },
        EVENTSTOREDB_URL: double.connectionString,
      };
      await run(moved, 'restore', backup ?? '', '--replace');
      const exported = (await run(there, 'log', 'export')).replaceAll(POSITION, '');
      expect((await run(moved, 'log', 'export')).replaceAll(POSITION, '')).to.equal(exported);
      expect(await run(moved, 'backup', backup ?? '')).to.match(/^backed up 0 new events, 0 files/);
    } finally {
      double.close();
    }
  });
});
