import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { connectingBy, connectMsOf, withCredentialsOfNow } from '../../src/postgres/connecting.js';
import { makeLastingConnection } from '../../src/postgres/lasting-connection.js';
import { makePool } from '../../src/postgres/pool.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { startSeverableProxy } from '../support/severable-proxy.js';

const URL_OF_OLD = 'postgres://old:first@db.example:5433/records?sslmode=verify-full';

describe('connecting to Postgres', function () {
  this.timeout(startingPostgres);
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'connecting-'));
    file = path.join(directory, 'url');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('changes nothing of a connection string without settings', () => {
    for (const url of [URL_OF_OLD, 'postgres://a/b?host=/run/postgresql', 'postgres://%/'])
      expect([connectingBy(url, {}), withCredentialsOfNow(url), connectMsOf(url)]).to.deep.equal([url, url, undefined]);
  });

  it('takes the user and the password that the file has now, and nothing else of it', async () => {
    const url = connectingBy(URL_OF_OLD, { file });
    const credentials = (): ReadonlyArray<string> => {
      const { username, password, host, pathname } = new URL(withCredentialsOfNow(url));
      return [username, password, host, pathname];
    };
    const old = ['old', 'first', 'db.example:5433', '/records'];
    expect(credentials(), 'without the file').to.deep.equal(old);
    for (const unfinished of ['', 'postgres://new', 'postgres://new@other:1/x', 'nonsense']) {
      await writeFile(file, unfinished);
      expect(credentials(), unfinished).to.deep.equal(old);
    }
    await writeFile(file, 'postgres://new:sec%20ond@other:1/x\n');
    expect(credentials()).to.deep.equal(['new', 'sec%20ond', 'db.example:5433', '/records']);
  });

  it('does not wait for a named pipe that the file was replaced by', () => {
    execFileSync('mkfifo', [file]);
    const url = connectingBy(URL_OF_OLD, { file });
    expect(withCredentialsOfNow(url)).to.equal(url);
  });

  it('gives up after the time that is set, also where a pool or a caller would wait longer', async () => {
    const proxy = await startSeverableProxy(await freshDatabase());
    proxy.mute();
    const connectionString = connectingBy(proxy.url, { timeout: 1 });
    const pool = makePool({ connectionString, name: 'test', connections: 1, connectMs: 600_000 });
    const lasting = makeLastingConnection({
      config: { connectionString },
      prepare: () => Promise.resolve(),
      onLost: () => undefined,
    });
    for (const open of [() => pool.connect(), () => lasting.open(600_000)])
      expect(String(await open().then(undefined, (error: unknown) => error))).to.match(/timeout/);
    await pool.end();
    await proxy.close();
  });
});
