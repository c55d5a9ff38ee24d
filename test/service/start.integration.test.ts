import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { beforeProgram } from '../support/before-program.js';
import { askRun } from '../support/once-a-run/ask.js';
import { startService, tokenFor } from '../support/service-process.js';
import { needs } from '../support/needs.js';

const isRoot = process.getuid?.() === 0;

/**
 * Sends the process that loads it SIGTERM as soon as there is something in its data directory: long before it listens,
 * however late everybody else is.
 */
const ENDED_BEFORE_IT_LISTENS = `
  import { readdirSync } from 'node:fs';
  const looking = setInterval(() => {
    if (readdirSync(process.env.DATA_DIR).length === 0) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, 1);
`;

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it started',
    (error: unknown) => String(error),
  );

describe('starting and stopping', function () {
  this.timeout(180_000);
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'start-'));
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  it('starts nothing where it is called with arguments, which it does not take', async () => {
    const program = path.resolve(await askRun('build'), 'src/main.js');
    for (const argument of ['--help', 'start']) {
      const ended = spawnSync(process.execPath, [program, argument], { cwd: dataDir, encoding: 'utf8' });
      expect([ended.status, ended.stdout], ended.stderr).to.deep.equal([2, '']);
      expect(ended.stderr).to.include('takes no arguments');
    }
    expect(await readdir(dataDir)).to.deep.equal([]);
  });

  it('serves, says what a newcomer needs, stops on SIGTERM with 0 and finds its data again', async () => {
    const token = await tokenFor('admin', 'alice');
    const first = await startService({ dataDir });
    const created = await makeApi(first.address, token).json('POST', '/business', { name: 'kept' });
    first.kill('SIGTERM');
    expect(await first.exited).to.equal(0);
    expect(first.output()).to.include(`"docs":"${first.address}/docs"`).and.to.include('npm run -s token');

    const second = await startService({ dataDir });
    expect(await makeApi(second.address, token).json('GET', '/business')).to.deep.equal([created]);
    second.kill('SIGINT');
    expect(await second.exited).to.equal(0);
  });

  it('stops in order on a SIGTERM during the start, and leaves nothing running', async () => {
    const program = [...beforeProgram(ENDED_BEFORE_IT_LISTENS), path.join(await askRun('build'), 'src/main.js')];
    const message = await failure(startService({ dataDir, program }));
    expect(message).to.include('ended with 0').and.to.include('"stopped"').and.to.not.include('"level":60');
    const next = await startService({ dataDir });
    expect(next.output()).to.not.include('waiting');
    next.kill('SIGTERM');
    expect(await next.exited).to.equal(0);
  });

  it('does not start a second service on the same data directory, and leaves the first alone', async () => {
    const first = await startService({ dataDir });
    const message = await failure(startService({ dataDir }));
    expect(message).to.include(`ended with 1`).and.to.include(dataDir).and.to.include(String(first.pid));
    expect((await fetch(`${first.address}/readyz`)).status).to.equal(200);
    first.kill('SIGTERM');
    expect(await first.exited).to.equal(0);
  });

  it('names every fault of its configuration and exits with 1', async () => {
    const message = await failure(startService({ dataDir, env: { PORT: 'high', LOG_LEVEL: 'loud' } }));
    expect(message).to.include('ended with 1').and.to.include('PORT:').and.to.include('LOG_LEVEL:');
  });

  it('names a public key that is too short, before it opens anything, and exits with 1', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const env = { JWT_SECRET: '', JWT_PUBLIC_KEY: publicKey.export({ format: 'pem', type: 'spki' }).toString() };
    const message = await failure(startService({ dataDir, env }));
    expect(message).to.include('ended with 1').and.to.include('JWT_PUBLIC_KEY: ').and.to.include('at least 2048 bits');
    expect(await readdir(dataDir)).to.deep.equal([]);
  });

  it('says that its port is taken and exits with 1', async () => {
    const first = await startService({ dataDir });
    const other = await mkdtemp(path.join(tmpdir(), 'start-'));
    const message = await failure(startService({ dataDir: other, env: { PORT: new URL(first.address).port } }));
    expect(message).to.include('ended with 1').and.to.include('EADDRINUSE').and.to.include('Set PORT');
    expect(await readdir(other)).to.not.include('postgres');
    first.kill('SIGTERM');
    await first.exited;
    await rm(other, { recursive: true });
  });

  it('starts as root with its data below a directory that is closed to others', async function () {
    needs(this, isRoot, 'root');
    const closed = await mkdtemp(path.join(homedir(), 'closed-'));
    await chmod(closed, 0o700);
    const service = await startService({ dataDir: path.join(closed, 'data') });
    expect((await fetch(`${service.address}/readyz`)).status).to.equal(200);
    expect(service.output())
      .to.include('making a new database in /var/lib/')
      .and.to.match(/the database is in \/var\/lib\/\S+ and not in \S+, which the account of Postgres may not enter/);
    service.kill('SIGTERM');
    expect(await service.exited).to.equal(0);
    const elsewhere = await readFile(path.join(closed, 'data', 'postgres.place'), 'utf8');
    await rm(elsewhere.trim(), { recursive: true });
    await rm(closed, { recursive: true });
  });
});
