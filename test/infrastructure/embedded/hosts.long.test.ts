import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { isRoot, mayTraverse } from '../../../src/infrastructure/embedded/account.js';
import { startEmbeddedPostgres, startFrom } from '../../../src/infrastructure/embedded/embedded-postgres.js';
import { installationIn } from '../../../src/infrastructure/embedded/installation/installation.js';
import { stateDirectory } from '../../../src/infrastructure/embedded/relocated-data.js';
import { endLeftovers, startChild } from './support/child-process.js';
import { installed } from './support/installed.js';
import {
  answers,
  discard,
  newDirectory,
  options,
  pgDataOf,
  startError,
  rows,
  running,
  runningService,
  SEVERAL_STARTS_MS,
} from './support/launching.js';
import { needs } from '../../support/needs.js';
import { mountSmallDisk, MOUNTING } from '../../support/small-disk.js';

/** Linked where it can be, because 59 MB a test take their time. */
const linkOrCopy = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
};

/** As npm unpacks the package when install scripts are blocked: no symlink in it. */
const unpackWithoutLinks = async (to: string, version: string, place = linkOrCopy): Promise<void> => {
  const { directory } = await installed();
  for (const entry of readdirSync(path.join(directory, 'native'), { recursive: true, withFileTypes: true })) {
    const target = path.join(to, path.relative(directory, entry.parentPath));
    mkdirSync(target, { recursive: true });
    if (entry.isFile()) place(path.join(entry.parentPath, entry.name), path.join(target, entry.name));
  }
  writeFileSync(path.join(to, 'package.json'), JSON.stringify({ version }));
};

/** Some user without rights, by name. */
const accountOf = (name: string): { readonly uid: number; readonly gid: number } | undefined => {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  return entry && { uid: Number(entry[2]), gid: Number(entry[3]) };
};

describe('embedded Postgres on hosts of many kinds', function () {
  this.timeout(SEVERAL_STARTS_MS);
  let home: string;

  beforeEach(() => {
    home = newDirectory();
  });
  afterEach(async () => {
    await endLeftovers();
    discard(home);
  });

  it('install scripts were blocked: the symlinks are made', async () => {
    const directory = path.join(home, 'package');
    await unpackWithoutLinks(directory, '17.10.0-blocked');
    const dataDir = path.join(home, 'data');
    const service = await running(startFrom(await installationIn(directory))(options(dataDir, 'service')));
    expect(await answers(service.connectionString)).to.equal(true);
    expect(lstatSync(path.join(directory, 'native', 'lib', 'libicudata.so.60')).isSymbolicLink()).to.equal(true);
    await service.stop();
  });

  describe('as root', () => {
    before(function () {
      needs(this, isRoot(), 'root');
    });

    const relocationOf = (dataDir: string): string => readFileSync(path.join(dataDir, 'postgres.place'), 'utf8').trim();

    it('below a directory that only root may enter: the data is elsewhere, and is found when DATA_DIR is moved', async () => {
      const locked = path.join(home, 'locked');
      const dataDir = path.join(locked, 'data');
      mkdirSync(locked, { mode: 0o700 });
      const first = await runningService(dataDir);
      await rows(first.connectionString, 'CREATE TABLE kept AS SELECT 42 AS n');
      await first.stop();
      const relocated = relocationOf(dataDir);
      expect(path.dirname(relocated)).to.equal(stateDirectory);
      expect(readdirSync(dataDir)).to.deep.equal(['postgres.place']);

      const moved = path.join(locked, 'moved');
      renameSync(dataDir, moved);
      const second = await runningService(moved);
      expect(await rows(second.connectionString, 'SELECT n FROM kept')).to.deep.equal([{ n: 42 }]);
      await second.stop();

      discard(relocated);
      expect((await startError(startEmbeddedPostgres(options(moved, 'service')))).message).to.contain(
        `says that the data is in ${relocated}, and that does not exist`,
      );
    });

    it('a DATA_DIR that only root may enter: Postgres may pass it, and nobody may list it', async () => {
      const dataDir = path.join(home, 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      const service = await runningService(dataDir);
      expect(readdirSync(dataDir)).to.deep.equal(['postgres']);
      expect(statSync(dataDir).mode & 0o777).to.equal(0o711);
      await service.stop();
    });

    it('a package that only root may read: the programs are copied', async () => {
      const locked = path.join(home, 'locked');
      mkdirSync(locked);
      const version = `17.10.0-${path.basename(home)}`;
      await unpackWithoutLinks(path.join(locked, 'package'), version, copyFileSync);
      execFileSync('chmod', ['-R', 'go=', locked]);
      const start = startFrom(await installationIn(path.join(locked, 'package')));
      const service = await running(start(options(path.join(home, 'data'), 'service')));
      expect(await answers(service.connectionString)).to.equal(true);
      await service.stop();
      const copy = path.join(stateDirectory, `postgres-${version}-${process.arch}`);
      expect(existsSync(copy)).to.equal(true);
      discard(copy);
    });

    it('data that root has restored from a copy is given to Postgres again', async () => {
      const dataDir = path.join(home, 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      await (await runningService(dataDir)).stop();
      execFileSync('chown', ['-R', 'root:root', dataDir]);
      const service = await runningService(dataDir);
      expect(await answers(service.connectionString)).to.equal(true);
      await service.stop();
    });

    it('in a container, where root may not look at other processes, a running server is still seen', async function () {
      const dataDir = path.join(home, 'data');
      const service = await runningService(dataDir);
      const [program, ...args] = ['setpriv', '--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace', process.execPath];
      needs(this, spawnSync(program, [...args, '--version']).status === 0, 'setpriv, to give up a capability');
      const child = startChild([dataDir, 'service'], {}, [program, ...args]);
      expect(await child.saying('failed')).to.equal('DataDirectoryInUse');
      expect(await answers(service.connectionString)).to.equal(true);
      await service.stop();
    });

    it('an error names a full disk', async function () {
      const disk = mountSmallDisk(8);
      needs(this, disk !== undefined, MOUNTING);
      const dataDir = disk!.directory;
      try {
        const error = await startError(startEmbeddedPostgres(options(dataDir, 'service')));
        expect(error._tag).to.equal('DataDirectoryNotWritable');
        expect(error.message).to.contain('its disk has no room for Postgres to start');
        expect(readdirSync(path.join(dataDir, 'postgres'))).to.deep.equal([]);
      } finally {
        disk!.unmount();
      }
    });
  });

  describe('as another user', () => {
    const games = accountOf('games');
    const asGames = { ...games, env: { PATH: process.env['PATH'], HOME: '/nonexistent' } };

    before(async function () {
      needs(this, isRoot() && games !== undefined, 'root and the user "games", to become another user');
      needs(this, await mayTraverse(games ?? {}, process.cwd()), 'a project that others may read');
    });

    it('with a package that nobody may write to: the programs are copied beside the data; root runs it later', async () => {
      const directory = path.join(home, 'package');
      await unpackWithoutLinks(directory, '17.10.0-readonly');
      const dataDir = path.join(home, 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      chownSync(dataDir, games!.uid, games!.gid);

      const child = startChild([dataDir, 'service', 'idle', directory], asGames);
      const connectionString = String(await child.saying('ready'));
      expect(await answers(connectionString)).to.equal(true);
      expect(readdirSync(path.join(dataDir, 'postgres')).sort()).to.deep.equal([
        'cluster',
        `postgres-17.10.0-readonly-${process.arch}`,
      ]);
      child.process.kill('SIGINT');
      await child.ended;

      const byRoot = await runningService(dataDir);
      expect(statSync(path.join(pgDataOf(dataDir), 'postmaster.pid')).uid).to.equal(games!.uid);
      await byRoot.stop();
    });

    it('an error names a directory it may not write to, and data of another user', async () => {
      const locked = path.join(home, 'locked');
      mkdirSync(locked);
      const child = startChild([path.join(locked, 'data'), 'service'], asGames);
      expect(await child.saying('failed')).to.equal('DataDirectoryNotWritable');
      expect(await child.saying('message')).to.contain(`${locked}/data cannot be used for data: this process (uid`);

      const dataDir = path.join(home, 'data');
      await (await runningService(dataDir)).stop();
      chmodSync(dataDir, 0o777);
      const other = startChild([dataDir, 'service'], asGames);
      expect(await other.saying('failed')).to.equal('DataDirectoryNotWritable');
      expect(await other.saying('message')).to.contain('it belongs to another user');
    });
  });
});
