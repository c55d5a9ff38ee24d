import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { everythingWorks } from '../support/everything-works.js';
import { needs } from '../support/needs.js';
import { runOperator } from '../support/operator.js';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.js';
import { freshDatabase } from '../support/postgres.js';
import { startService } from '../support/service-process.js';

describe('PgBouncer before Postgres', function () {
  this.timeout(240_000);
  let dataDir: string;

  before(function () {
    needs(this, hasPgBouncer, 'PgBouncer (Debian: pgbouncer)');
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'pooler-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('may be there in session mode', async () => {
    const pooler = await startPgBouncer(await freshDatabase(), 'session');
    try {
      await everythingWorks(dataDir, { DATABASE_URL: pooler.url });
    } finally {
      await pooler.stop();
    }
  });

  for (const mode of ['transaction', 'statement'] as const)
    it(`is refused in ${mode} mode, by the service and by its operator’s commands`, async () => {
      const pooler = await startPgBouncer(await freshDatabase(), mode);
      const env = { DATABASE_URL: pooler.url };
      try {
        const started: unknown = await startService({ dataDir, env }).catch(String);
        expect(started).to.include('ended with 1').and.to.include('session mode');
        const { code, stderr } = await runOperator(['log', 'verify'], { env: { DATA_DIR: dataDir, ...env } });
        expect([code, stderr.includes('session mode')], stderr).to.deep.equal([1, true]);
      } finally {
        await pooler.stop();
      }
    });
});
