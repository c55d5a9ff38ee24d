import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { setAll } from '../support/hostile-settings.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { startService, tokenFor } from '../support/service-process.js';

/** All that Postgres's own programs and its driver read. */
const PG_ENVIRONMENT = {
  PGAPPNAME: 'other',
  PGBINARY: '1',
  PGCHANNELBINDING: 'require',
  PGCLIENTENCODING: 'LATIN1',
  PGCLIENT_ENCODING: 'LATIN1',
  PGCONNECT_TIMEOUT: '1',
  PGDATA: '/nowhere',
  PGDATABASE: 'nowhere',
  PGDATESTYLE: 'German',
  PGGSSENCMODE: 'require',
  PGHOST: 'nowhere.invalid',
  PGHOSTADDR: '192.0.2.1',
  PGOPTIONS: '-c standard_conforming_strings=off -c search_path=nowhere -c nonsense=1',
  PGPASSFILE: '/nowhere',
  PGPASSWORD: 'wrong',
  PGPORT: '1',
  PGREPLICATION: 'true',
  PGREQUIREAUTH: 'none',
  PGSERVICE: 'nowhere',
  PGSERVICEFILE: '/nowhere',
  PGSSLMODE: 'verify-full',
  PGSSLNEGOTIATION: 'direct',
  PGSSLROOTCERT: '/nowhere',
  PGSYSCONFDIR: '/nowhere',
  PGTARGETSESSIONATTRS: 'standby',
  PGTZ: 'Asia/Tokyo',
  PGUSER: 'nobody',
  LC_ALL: 'nowhere.UTF-8',
  TZ: 'Asia/Tokyo',
};

describe('what the surroundings say about Postgres', function () {
  this.timeout(240_000);
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'settings-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  /** Every kind of request once, and then every kind of operator's command that reads or writes rows. */
  const works = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const service = await startService({ dataDir, env });
    try {
      const api = makeApi(service.address, await tokenFor('admin', 'alice'));
      const name = `Grüße \\ 'x' "y" ${randomBytes(4).toString('hex')}`;
      const created = await api.json<{ readonly _id: string }>('POST', '/business', { name, netWorth: 0.1 });
      const updated = await api.json('PUT', `/business/${created._id}`, { phone: 'a\\b' });
      expect(await api.json('GET', `/business/${created._id}`)).to.deep.equal(updated);
      for (const list of ['', '?q=grüße', `?name=${encodeURIComponent(name)}`, '?sort=-created&limit=1'])
        expect(await api.json('GET', `/business${list}`), list).to.deep.equal([updated]);
      expect(await api.json('GET', `/business/${created._id}/events?diff=true`)).to.have.length(2);
      expect((await fetch(`${service.address}/readyz`)).status).to.equal(200);
      for (const command of ['projections rebuild', 'projections verify', 'projections status', 'log verify']) {
        const { code, stdout, stderr } = await runOperator(command.split(' '), { env: { DATA_DIR: dataDir, ...env } });
        expect(code, `${command}: ${stdout}${stderr}`).to.equal(0);
      }
      expect(service.output()).to.not.match(/"level":[56]0/);
    } finally {
      service.kill('SIGTERM');
      await service.exited;
    }
  };

  it('means nothing to the embedded one, where it is said in the environment', () => works(PG_ENVIRONMENT));

  it('means nothing to ours, where a database is set to it', async () => {
    const database = await freshDatabase();
    await setAll(database, `database ${new URL(database).pathname.slice(1)}`);
    await works({ DATABASE_URL: database });
  });
});
