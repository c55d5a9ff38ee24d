import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { everythingWorks } from '../support/everything-works.js';
import { setAll } from '../support/hostile-settings.js';
import { runOperatorAlone } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';

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

  it('means nothing to the embedded one, where it is said in the environment', () =>
    everythingWorks(dataDir, PG_ENVIRONMENT, runOperatorAlone));

  it('means nothing to ours, where a database is set to it', async () => {
    const database = await freshDatabase();
    await setAll(database, `database ${new URL(database).pathname.slice(1)}`);
    await everythingWorks(dataDir, { DATABASE_URL: database });
  });
});
