import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { openCluster } from '../../../src/infrastructure/embedded/cluster.js';
import { locateCluster } from '../../../src/infrastructure/embedded/cluster-location.js';
import { connectionString } from '../../../src/infrastructure/embedded/connection.js';
import { startEmbeddedPostgres, startFrom } from '../../../src/infrastructure/embedded/embedded-postgres.js';
import { makeRunnable } from '../../../src/infrastructure/embedded/installation/runnable-installation.js';
import { makePrivate } from '../../../src/infrastructure/embedded/private-cluster.js';
import { makeOwner, startTimeOf } from '../../../src/infrastructure/process-liveness.js';
import { freePort } from '../../../src/infrastructure/embedded/server/acquire-server.js';
import { type Server, launchServer } from '../../../src/infrastructure/embedded/server/server-process.js';
import { endLeftovers, startChild } from './support/child-process.js';
import { installed } from './support/installed.js';
import {
  answers,
  discard,
  lockFileOf,
  logged,
  newDirectory,
  options,
  pgDataOf,
  startError,
  rows,
  running,
  runningOperator,
  runningService,
  SEVERAL_STARTS_MS,
  untilLockedByService,
} from './support/launching.js';
import { makeHeard } from '../../support/news.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** Every file below a directory, with its size and when it was written last. */
const contentOf = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, found: statSync(path.join(directory, name)) }))
    .filter(({ found }) => found.isFile())
    .map(({ name, found }) => `${name} ${found.size} ${found.mtimeMs}`)
    .sort();

describe('embedded Postgres', function () {
  this.timeout(SEVERAL_STARTS_MS);
  let dataDir: string;

  before(() => {
    dataDir = newDirectory();
  });
  afterEach(endLeftovers);
  after(() => discard(dataDir));

  it('a cold start makes a database on the loopback alone, a warm one keeps what was written', async () => {
    const cold = await running(
      startEmbeddedPostgres({ runtime: systemRuntime, dataDir, processKind: 'service', onLog: () => undefined }),
    );
    expect(cold.connectionString).to.match(/^postgres:\/\/app:[\w-]{32}@127\.0\.0\.1:\d+\/app\?sslmode=disable&/);
    expect(
      await rows(
        cold.connectionString,
        `SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, datcollate AS locale,
                current_setting('listen_addresses') AS listen, current_setting('unix_socket_directories') AS sockets,
                current_setting('shared_buffers') AS buffers, current_setting('max_connections') AS connections,
                current_setting('fsync') AS fsync, current_setting('password_encryption') AS passwords
         FROM pg_database WHERE datname = current_database()`,
      ),
    ).to.deep.equal([
      {
        name: 'app',
        encoding: 'UTF8',
        locale: 'C',
        listen: '127.0.0.1',
        sockets: '',
        buffers: '32MB',
        connections: '100',
        fsync: 'on',
        passwords: 'scram-sha-256',
      },
    ]);
    await rows(cold.connectionString, 'CREATE TABLE kept AS SELECT 42 AS n');
    await cold.stop();
    expect(await answers(cold.connectionString)).to.equal(false);

    const log = makeHeard<string>();
    const warm = await runningService(dataDir, log);
    expect(log.all).to.deep.equal([]); // not a word of recovery: it was stopped cleanly
    expect(await rows(warm.connectionString, 'SELECT n FROM kept')).to.deep.equal([{ n: 42 }]);
    expect(warm.joined).to.equal(false);
    await warm.stop();
  });

  it('keeps the password in a file for one user', async () => {
    expect(statSync(path.join(dataDir, 'postgres', 'cluster', 'password')).mode & 0o777).to.equal(0o600);
    const service = await runningService(dataDir);
    const guessed = service.connectionString.replace(/app:[^@]+@/, 'app:guessed@');
    expect(await rows(guessed, 'SELECT 1').catch((cause: unknown) => String(cause))).to.contain(
      'authentication failed',
    );
    await service.stop();
  });

  it('stopping twice is stopping once', async () => {
    const service = await runningService(dataDir);
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    expect(existsSync(path.join(pgDataOf(dataDir), 'postmaster.pid'))).to.equal(false);
  });

  it('a second service fails, and its error names the first one; an operator joins and leaves the server running', async () => {
    const child = startChild([dataDir, 'service']);
    const ready = await child.saying('ready');
    expect(await startError(startEmbeddedPostgres(options(dataDir, 'service')))).to.deep.equal({
      _tag: 'DataDirectoryInUse',
      directory: dataDir,
      pid: child.pid,
      message: `Another service (pid ${child.pid}) uses ${dataDir}. Stop it, or give this one its own DATA_DIR.`,
    });
    const operator = await runningOperator(dataDir);
    expect([operator.connectionString, operator.joined]).to.deep.equal([ready, true]);
    expect(
      await rows(
        operator.connectionString,
        "SELECT mode, objid FROM pg_locks WHERE locktype = 'advisory' AND granted ORDER BY objid",
      ),
    ).to.deep.equal([
      { mode: 'ExclusiveLock', objid: 1 },
      { mode: 'ShareLock', objid: 2 },
    ]);
    await operator.stop();
    expect(await answers(operator.connectionString)).to.equal(true);
    child.process.kill('SIGINT');
    await child.ended;
  });

  it('a service that stops does not wait for an operator', async () => {
    const service = await runningService(dataDir);
    const operator = await runningOperator(dataDir);
    await service.stop();
    expect(await answers(operator.connectionString)).to.equal(false);
    await operator.stop();
  });

  it('an operator alone starts a server and stops it; a service waits for that, until a timeout', async () => {
    const log = makeHeard<string>();
    const operator = await runningOperator(dataDir);
    expect(operator.joined).to.equal(false);
    const startSoon = startFrom(await installed(), { waitTimeoutMs: 50 });
    expect(await startError(startSoon(options(dataDir, 'service')))).to.deep.equal({
      _tag: 'DataDirectoryInUse',
      directory: dataDir,
      pid: process.pid,
      message: `An operator's command (pid ${process.pid}) works in ${dataDir} and has not finished. Wait for it, or stop it.`,
    });

    const service = runningService(dataDir, log);
    await logged(log, `waiting for an operator's command (pid ${process.pid}) that works in this data directory`);
    await operator.stop();
    expect(await answers((await service).connectionString)).to.equal(true);
    await (await service).stop();
  });

  it('an operator whose server another one has joined waits for it', async () => {
    const log = makeHeard<string>();
    const first = await runningOperator(dataDir, log);
    const second = await runningOperator(dataDir);
    expect(second.connectionString).to.equal(first.connectionString);
    const stopping = first.stop();
    await logged(log, `waiting for other commands that use this server (pid ${process.pid})`);
    expect(await answers(second.connectionString)).to.equal(true);
    await second.stop();
    await stopping;
    expect(await answers(first.connectionString)).to.equal(false);
  });

  it('a taken port is no problem', async () => {
    const occupied = createServer().listen(0, '127.0.0.1');
    await once(occupied, 'listening');
    const { port: taken } = occupied.address() as AddressInfo; // reason: it listens on a TCP port
    const ports = [taken, taken];
    const choosePort = async (): Promise<number> => ports.shift() ?? freePort();
    const service = await running(startFrom(await installed(), { choosePort })(options(dataDir, 'service')));
    expect(await answers(service.connectionString)).to.equal(true);
    expect(ports).to.deep.equal([]);
    await service.stop();
    occupied.close();
  });

  it('takes no setting from the environment', async () => {
    const fresh = newDirectory();
    const strange = {
      LC_ALL: 'xx_XX',
      TZ: 'Asia/Tokyo',
      PGDATA: '/nowhere',
      PGPORT: '1',
      PGUSER: 'eve',
      PGDATABASE: 'eve',
    };
    const child = startChild([fresh, 'service'], { env: { ...process.env, ...strange } });
    const connectionString = String(await child.saying('ready'));
    expect(await rows(connectionString, 'SHOW timezone')).to.deep.equal([{ TimeZone: 'UTC' }]);
    child.process.kill('SIGINT');
    await child.ended;
    discard(fresh);
  });

  it('data that others may use, which Postgres refuses, gets its modes back, and the log says so', async () => {
    const data = pgDataOf(dataDir);
    const cluster = path.dirname(data);
    const password = path.join(cluster, 'password');
    for (const [directory, file] of [
      [0o2770, 0o660],
      [0o775, 0o664],
    ] as const) {
      for (const name of [cluster, data]) chmodSync(name, directory);
      chmodSync(password, file);
      const log = makeHeard<string>();
      const service = await runningService(dataDir, log);
      await service.stop();
      expect([cluster, data, password].map((name) => statSync(name).mode & 0o7777)).to.deep.equal([
        0o700, 0o700, 0o600,
      ]);
      const [of, ofFile] = [directory & 0o777, file].map((mode) => mode.toString(8).padStart(4, '0'));
      expect(log.all).to.deep.equal([
        `${cluster} had mode ${of}, which lets others use it; it has mode 0700 again`,
        `${data} had mode ${of}, which lets others use it; it has mode 0700 again`,
        `${password} had mode ${ofFile}, which lets others use it; it has mode 0600 again`,
      ]);
    }
  });

  it('data that its group may read, which Postgres bears, stays so', async () => {
    const data = pgDataOf(dataDir);
    chmodSync(data, 0o750);
    const log = makeHeard<string>();
    await (await runningService(dataDir, log)).stop();
    expect([statSync(data).mode & 0o777, log.all]).to.deep.equal([0o750, []]);
    chmodSync(data, 0o700);
  });

  it('data that others may use, whose modes cannot be changed, is named with what to do', async () => {
    const log = makeHeard<string>();
    // of root, or of whoever mounted it; its modes cannot be changed by anybody
    const fixed = await makePrivate({ cluster: '/proc/self/net', data: '/proc', password: '/proc/version' }, (line) =>
      log.hear(line),
    );
    expect(fixed).to.deep.equal({
      _tag: 'Left',
      left: {
        _tag: 'DataDirectoryNotWritable',
        message:
          '/proc/self/net cannot be used for data: others may use it (mode 0555), and this process cannot change that. Let ' +
          'its owner (uid 0) run "chmod 0700 /proc/self/net", or keep it on a file system that has modes. Mend that, or set ' +
          'DATA_DIR to another directory.',
      },
    });
    expect(log.all).to.deep.equal([]);
  });

  it('data of another major version is not opened or changed, and the message names the way that keeps everything', async () => {
    const version = path.join(pgDataOf(dataDir), 'PG_VERSION');
    writeFileSync(version, '16\n');
    const before = contentOf(dataDir);
    for (const processKind of ['service', 'operator'] as const)
      expect(await startError(startEmbeddedPostgres(options(dataDir, processKind)))).to.deep.equal({
        _tag: 'MajorVersionMismatch',
        message:
          `${dataDir} was written by Postgres 16, this release ships Postgres 17. Stop the service. With the release that ` +
          'wrote it, run `ops backup`, which also takes the files and the keys; with this one, `ops restore --replace` into ' +
          'a new DATA_DIR (docs/production.md, Upgrade).',
      });
    expect(contentOf(dataDir)).to.deep.equal(before);
    writeFileSync(version, '17\n');
  });

  it('a first start removes what others have left unfinished, and nothing that one is still making', async () => {
    const fresh = newDirectory();
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const [own, left] = [`initialising-${process.pid}-${startTimeOf(process.pid)}-own`, `initialising-${ended}-1-left`];
    mkdirSync(path.join(fresh, 'postgres'));
    for (const name of [own, left]) mkdirSync(path.join(fresh, 'postgres', name));
    const operator = await runningOperator(fresh);
    expect(readdirSync(path.join(fresh, 'postgres')).sort()).to.deep.equal(['cluster', own]);
    await operator.stop();
    discard(fresh);
  });

  it('first starts at the same moment make one cluster', async () => {
    const fresh = newDirectory();
    const [one, other] = await Promise.all([runningOperator(fresh), runningOperator(fresh)]);
    expect(one.connectionString).to.equal(other.connectionString);
    expect([one.joined, other.joined].sort()).to.deep.equal([false, true]);
    expect(readdirSync(path.join(fresh, 'postgres'))).to.deep.equal(['cluster']);
    await Promise.all([one.stop(), other.stop()]);
    discard(fresh);
  });

  it('stopping a server does not touch the one that by now runs in its place', async () => {
    const location = await locateCluster(systemRuntime.random, dataDir, () => undefined);
    if (E.isLeft(location)) throw new Error(location.left.message);
    const runnable = await makeRunnable(
      systemRuntime.random,
      await installed(),
      location.right.account,
      location.right.programs,
    );
    const cluster = await openCluster(systemRuntime.random, location.right, runnable, false, () => undefined);
    if (E.isLeft(cluster)) throw new Error(cluster.left.message);
    const launch = async (): Promise<Server> => {
      const launched = await launchServer({
        runtime: systemRuntime,
        cluster: cluster.right,
        owner: makeOwner(systemRuntime.random, 'service'),
        port: await freePort(),
        settings: {},
        onLog: () => undefined,
      });
      if (E.isLeft(launched)) throw new Error(launched.left.reason);
      return launched.right;
    };
    const first = await launch();
    await first.shutDown();
    const second = await launch();
    await first.shutDown();
    const address = { port: second.port, password: cluster.right.password };
    expect(await answers(connectionString(address))).to.equal(true);
    await second.shutDown();
  });

  it('a lock whose connection was ended is taken again, and no other service gets it', async () => {
    const service = await runningService(dataDir);
    await rows(
      service.connectionString,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'embedded-postgres service%'",
    );
    expect((await startError(startEmbeddedPostgres(options(dataDir, 'service'))))._tag).to.equal('DataDirectoryInUse');
    await untilLockedByService(service.connectionString);
  });

  it('a server whose pid now belongs to another process does not keep the next one from starting', async () => {
    const service = await runningService(dataDir);
    const lockFile = lockFileOf(dataDir);
    const lock = readFileSync(lockFile, 'utf8');
    await service.stop();

    // of the same user, because Postgres itself sees through another user's pid
    const { uid, gid } = statSync(pgDataOf(dataDir));
    const stranger = spawn('sleep', ['300'], { uid, gid, cwd: '/' });
    await once(stranger, 'spawn');
    writeFileSync(lockFile, lock.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 });
    chownSync(lockFile, uid, gid);

    const next = await runningService(dataDir);
    expect(await answers(next.connectionString)).to.equal(true);
    expect(stranger.exitCode).to.equal(null);
    stranger.kill();
  });

  it('the server lives until the service has drained, also at Ctrl-C', async () => {
    const child = startChild([dataDir, 'service']);
    await child.saying('ready');
    process.kill(-child.pid, 'SIGINT'); // as a terminal does, to the whole process group
    expect(await child.saying('drained')).to.equal(7);
    expect(child.said.filter((each) => 'lost' in each)).to.deep.equal([]);
    await child.ended;
    expect(existsSync(lockFileOf(dataDir))).to.equal(false);
  });
});
