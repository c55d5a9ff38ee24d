import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { accountFor } from '../../src/infrastructure/embedded/account.js';
import type { EmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import { makeApi } from '../support/api.js';
import { makeAuthority } from '../support/certificates.js';
import { openEmbedded } from '../support/embedded-postgres.js';
import { runOperator } from '../support/operator.js';
import { startService, tokenFor } from '../support/service-process.js';

const exampleIn = (page: string, name: string): string => {
  const [, url] = new RegExp(`<!-- example: ${name} -->\\n+\`\`\`sh\\nDATABASE_URL='(.*)'\\n`).exec(page) ?? [];
  if (url === undefined) throw new Error(`docs/production.md has no example ${name}`);
  return url;
};

/** The role of the examples has to bring a password or, as `certified`, a certificate; the launcher's own has neither. */
const HBA = `
hostssl all service all scram-sha-256
hostssl all certified all cert
host all app all scram-sha-256
`;

describe('the examples of docs/production.md for TLS to Postgres', function () {
  this.timeout(180_000);
  let directory: string;
  let server: EmbeddedPostgres;
  let superuser: pg.Client;
  let page: string;

  const place = (name: string): string => path.join(directory, name);

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'tls-'));
    await chmod(directory, 0o755);
    page = await readFile('docs/production.md', 'utf8');
    const [authority, other] = [makeAuthority('authority'), makeAuthority('other')];
    const [own, client] = [authority.issue('db.example'), authority.issue('certified')];
    const files = {
      'postgres-ca.pem': authority.certificate,
      'other-ca.pem': other.certificate,
      'server.pem': own.certificate,
      'server-key.pem': own.key,
      'client.pem': client.certificate,
      'client-key.pem': client.key,
      'pg_hba.conf': HBA,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(place(name), text, { mode: 0o644 });
    const account = await accountFor(place('data'));
    if (E.isLeft(account)) throw new Error(account.left.message);
    const { uid, gid } = await stat(directory);
    await chmod(place('server-key.pem'), 0o600);
    await chown(place('server-key.pem'), account.right.uid ?? uid, account.right.gid ?? gid);
    server = await openEmbedded(place('data'), {
      settings: {
        fsync: 'off',
        ssl: 'on',
        ssl_cert_file: place('server.pem'),
        ssl_key_file: place('server-key.pem'),
        ssl_ca_file: place('postgres-ca.pem'),
        hba_file: place('pg_hba.conf'),
      },
    });
    superuser = new pg.Client({ connectionString: server.connectionString });
    await superuser.connect();
    await superuser.query(`create role service superuser login password 'a password'`);
    await superuser.query('create role certified superuser login');
    await superuser.query('create database records');
  });

  after(async () => {
    await superuser.end();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  /** An example, at the server of this test and with its files. */
  const urlOf = (name: string, user: string): string => {
    const { port } = new URL(server.connectionString);
    const url = exampleIn(page, name).replace('db.example:5432', `localhost:${port}`).replace('service', user);
    return url.replaceAll('/etc/service', directory);
  };

  const start = (DATABASE_URL: string) => startService({ dataDir: place('service'), env: { DATABASE_URL } });

  for (const [name, user] of [
    ['tls', 'service'],
    ['client certificate', 'certified'],
  ] as const)
    it(`work: ${name}`, async () => {
      const url = urlOf(name, user);
      const service = await start(url);
      const api = makeApi(service.address, await tokenFor('admin', 'alice'));
      await api.json('POST', '/business', { name: 'Acme' });
      const text = `select bool_and(ssl) as encrypted, count(*)::integer > 3 as many
        from pg_stat_ssl join pg_stat_activity using (pid) where usename = $1`;
      expect((await superuser.query(text, [user])).rows).to.deep.equal([{ encrypted: true, many: true }]);
      const verified = await runOperator(['log', 'verify'], { env: { DATABASE_URL: url, DATA_DIR: place('service') } });
      expect(verified.code, verified.stderr).to.equal(0);
      service.kill('SIGTERM');
      expect(await service.exited).to.equal(0);
      expect(service.output()).to.not.include('Warning');
    });

  it('are refused with a sentence where a certificate does not fit', async () => {
    const url = urlOf('tls', 'service');
    const wrong = {
      certificate: url.replace('postgres-ca', 'other-ca'),
      'no-such-file.pem': url.replace('postgres-ca', 'no-such-file'),
      'no encryption': url.replace(/[?].*/, ''),
      'client certificate': url.replace('service:a%20password', 'certified'),
    };
    for (const [sentence, each] of Object.entries(wrong)) {
      const ended: unknown = await start(each).catch(String);
      expect(ended, sentence).to.include('ended with 1').and.to.include(sentence);
      expect(String(ended)).to.not.include('password@');
    }
  });
});
