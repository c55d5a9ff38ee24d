import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { makeApi } from '../support/api.js';
import { untilReady } from '../support/readiness.js';
import { freshDatabase } from '../support/postgres.js';
import { startService, tokenFor } from '../support/service-process.js';

describe('a password that is changed under a running service', function () {
  this.timeout(120_000);

  it('is read again from the file of DATABASE_URL_FILE', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'rotated-'));
    const file = path.join(dataDir, 'url');
    const database = await freshDatabase();
    const role = `rotated_${randomBytes(6).toString('hex')}`;
    const superuser = new pg.Client({ connectionString: database });
    await superuser.connect();
    await superuser.query(`create role ${role} superuser login password 'first'`);
    const urlOf = (password: string): string =>
      Object.assign(new URL(database), { username: role, password }).toString();
    await writeFile(file, urlOf('first'), { mode: 0o600 });
    const service = await startService({ dataDir, env: { DATABASE_URL_FILE: file } });
    try {
      const api = makeApi(service.address, await tokenFor('admin', 'alice'));
      await api.json('POST', '/business', { name: 'before' });
      await superuser.query(`alter role ${role} password 'second'`);
      await writeFile(file, urlOf('second'));
      await superuser.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [role]);
      await untilReady(service);
      expect((await api.send('POST', '/business', { name: 'after' })).status).to.equal(200);
    } finally {
      service.kill('SIGTERM');
      await service.exited;
      await superuser.query(`drop role ${role}`).catch(() => undefined);
      await superuser.end();
      await rm(dataDir, { recursive: true });
    }
  });
});
