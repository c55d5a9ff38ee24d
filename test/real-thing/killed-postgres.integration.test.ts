import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import { type Child, endLeftovers, startChild } from '../infrastructure/embedded/support/child-process.js';
import {
  answers,
  discard,
  lockFileOf,
  logged,
  newDirectory,
  options,
  startError,
  rows,
  runningOperator,
  runningService,
  SEVERAL_STARTS_MS,
  serverPid,
  untilLockedByService,
} from '../infrastructure/embedded/support/launching.js';
import { makeHeard } from '../support/news.js';
import { untilFile } from '../support/until-file.js';
import { needs } from '../support/needs.js';

const lastAcknowledged = (child: Child): number => Number(child.said.findLast((each) => 'n' in each)?.['n'] ?? 0);

/** The shell that waits for a server, and the one that waits for the end of the service. */
const watchdogOf = (server: number): ReadonlyArray<number> => {
  const stat = readFileSync(`/proc/${server}/stat`, 'utf8');
  const shell = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ').map(Number);
  return [...children.filter((pid) => pid !== server), shell];
};

/** Resolves when another server than `old` takes connections, as its lock file says. */
const untilRestarted = (dataDir: string, old: number): Promise<unknown> =>
  untilFile(lockFileOf(dataDir), (text = '') => {
    const lines = text.split('\n');
    return Number(lines[0]) !== old && lines[7]?.trim() === 'ready';
  });

describe('embedded Postgres when something is killed', function () {
  this.timeout(SEVERAL_STARTS_MS);
  let dataDir: string;

  before(async () => {
    dataDir = newDirectory();
    await (await runningService(dataDir)).stop();
  });
  afterEach(endLeftovers);
  after(() => discard(dataDir));

  it('the service, at full write: the server goes too, and the next start has every acknowledged row', async () => {
    const child = startChild([dataDir, 'service', 'write']);
    const before = String(await child.saying('ready'));
    await child.until(() => lastAcknowledged(child) > 50);
    child.process.kill('SIGKILL');
    await child.ended;
    const acknowledged = lastAcknowledged(child);

    const next = await runningService(dataDir); // while the watchdog stops the old server
    expect(next.joined).to.equal(false);
    expect(await answers(before)).to.equal(next.connectionString === before);
    const [kept] = await rows(next.connectionString, 'SELECT count(*)::int AS n FROM acknowledged');
    // one more may have been committed and not yet acknowledged
    expect(kept).to.satisfy(({ n }: { n: number }) => n === acknowledged || n === acknowledged + 1);
  });

  it('the service, with nobody after it: the watchdog stops the server', async () => {
    const child = startChild([dataDir, 'service']);
    await child.saying('ready');
    child.process.kill('SIGKILL');
    await untilFile(lockFileOf(dataDir), (text) => text === undefined);
  });

  it('the service and its watchdog: the next start replaces the orphan', async function () {
    needs(this, process.platform === 'linux', 'Linux, to find the watchdog');
    const child = startChild([dataDir, 'service', 'write']);
    await child.saying('n');
    const orphan = serverPid(dataDir);
    child.process.kill('SIGSTOP'); // or it would notice
    for (const pid of watchdogOf(orphan)) process.kill(pid, 'SIGKILL');
    child.process.kill('SIGKILL');
    await child.ended;

    const next = await runningOperator(dataDir);
    expect([next.joined, serverPid(dataDir) === orphan]).to.deep.equal([false, false]);
    const [kept] = await rows(next.connectionString, 'SELECT count(*)::int AS n FROM acknowledged');
    expect(kept).to.satisfy(({ n }: { n: number }) => n >= lastAcknowledged(child));
  });

  it('the server, under the service: the same connection string works again, and the lock is held again', async () => {
    const log = makeHeard<string>();
    const service = await runningService(dataDir, log);
    const pool = new pg.Pool({ connectionString: service.connectionString, max: 2 });
    pool.on('error', () => undefined);
    await pool.query('CREATE TABLE survived AS SELECT 42 AS n');
    for (let deaths = 0; deaths < 2; deaths += 1) {
      const killed = serverPid(dataDir);
      process.kill(killed, 'SIGKILL');
      await untilRestarted(dataDir, killed);
      // one of before may be lost only now
      const ask = () => pool.query('SELECT n FROM survived');
      expect((await ask().catch(ask)).rows).to.deep.equal([{ n: 42 }]);
    }
    await logged(log, 'Postgres ended unexpectedly (killed by signal 9); starting it again');
    await logged(log, 'automatic recovery in progress');
    await untilLockedByService(service.connectionString);
    expect((await startError(startEmbeddedPostgres(options(dataDir, 'service'))))._tag).to.equal('DataDirectoryInUse');
    await pool.end();
    await service.stop();
    expect(await answers(service.connectionString)).to.equal(false);
  });

  it('the server, just before the service stops: stopping leaves nothing behind', async () => {
    const service = await runningService(dataDir);
    process.kill(serverPid(dataDir), 'SIGKILL');
    await service.stop();
    expect(await answers(service.connectionString)).to.equal(false);
    await (await runningService(dataDir)).stop();
  });

  it('the watchdog alone: the service gets a server with a watchdog again', async function () {
    needs(this, process.platform === 'linux', 'Linux, to find the watchdog');
    const log = makeHeard<string>();
    const service = await runningService(dataDir, log);
    const unguarded = serverPid(dataDir);
    for (const pid of watchdogOf(unguarded)) process.kill(pid, 'SIGKILL');
    await logged(log, 'Postgres ended unexpectedly (watchdog killed by SIGKILL); starting it again');
    await untilRestarted(dataDir, unguarded);
    expect(await answers(service.connectionString)).to.equal(true);
    expect(watchdogOf(serverPid(dataDir))).to.have.length(2);
  });
});
