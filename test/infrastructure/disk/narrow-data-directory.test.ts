import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Config } from '../../../src/config.js';
import { developmentSecret } from '../../../src/infrastructure/disk/development-secret.js';
import { openDiskStorage } from '../../../src/infrastructure/disk/disk-storage.js';
import { narrowDataDirectory } from '../../../src/infrastructure/disk/narrow-data-directory.js';
import { OWN_SECRETS, putSecrets } from '../../../src/infrastructure/disk/own-secrets.js';
import { needs } from '../../support/needs.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const uid = process.getuid?.();
const isRoot = uid === 0;

/** What others may do with the directory: root starts Postgres as another account, which must pass through. */
const narrowest = isRoot ? 0o711 : 0o700;

const NOBODY = 65_534;

describe('the modes of a data directory', () => {
  let home: string;
  let dataDir: string;
  let umask: number;

  beforeEach(async function () {
    needs(this, uid !== undefined, 'modes of files, which Windows does not have');
    home = await mkdtemp(path.join(tmpdir(), 'modes-'));
    dataDir = path.join(home, 'above', 'data');
    umask = process.umask(0);
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(home, { recursive: true });
  });

  const modeOf = async (place: string): Promise<string> => ((await stat(place)).mode & 0o7777).toString(8);

  const secrets = Object.values(OWN_SECRETS).map(({ file }) => file);

  const makers = {
    'the secret of tokens': () => developmentSecret(systemRuntime.random, dataDir),
    'the storage of files': () => openDiskStorage(path.join(dataDir, 'files'), { random: systemRuntime.random }),
    'restored secrets': () =>
      putSecrets(systemRuntime.random, { dataDir } as Config, [{ name: 'event-key', text: 'x' }]), // reason: it reads nothing else
  };

  for (const [what, make] of Object.entries(makers))
    it(`are those of its owner alone when ${what} makes it under umask 000`, async () => {
      await make();
      expect(await modeOf(dataDir)).to.equal('700');
      // nobody may put another directory in its place
      expect((await stat(path.dirname(dataDir))).mode & 0o022).to.equal(0);
      for (const name of await readdir(dataDir))
        expect((await stat(path.join(dataDir, name))).mode & 0o077).to.equal(0);
    });

  const makeWide = async (): Promise<void> => {
    await mkdir(dataDir, { recursive: true });
    await chmod(dataDir, 0o2777);
    for (const name of secrets) await writeFile(path.join(dataDir, name), 'x', { mode: 0o664 });
  };

  it('are narrowed with those of our secrets, and each is said once', async () => {
    await makeWide();
    await writeFile(path.join(dataDir, 'mine'), 'x', { mode: 0o644 });
    const directory = { place: dataDir, was: '2777', is: isRoot ? '2711' : '2700' };
    expect(await narrowDataDirectory(dataDir, uid)).to.deep.equal([
      directory,
      ...secrets.map((name) => ({ place: path.join(dataDir, name), was: '0664', is: '0600' })),
    ]);
    expect(await modeOf(dataDir)).to.equal(directory.is);
    for (const name of secrets) expect(await modeOf(path.join(dataDir, name))).to.equal('600');
    expect(await modeOf(path.join(dataDir, 'mine'))).to.equal('644');
    expect(await narrowDataDirectory(dataDir, uid)).to.deep.equal([]);
  });

  it('stay where they are narrow, shared by design, or there is no directory', async () => {
    expect(await narrowDataDirectory(dataDir, uid)).to.deep.equal([]);
    await mkdir(dataDir, { recursive: true });
    for (const mode of [narrowest, 0o500, 0o1777]) {
      await chmod(dataDir, mode);
      expect(await narrowDataDirectory(dataDir, uid)).to.deep.equal([]);
      expect(await modeOf(dataDir)).to.equal(mode.toString(8));
    }
  });

  it('stay where a secret is a link, which somebody else looks after', async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
    const theirs = path.join(home, 'theirs');
    await writeFile(theirs, 'x', { mode: 0o644 });
    await symlink(theirs, path.join(dataDir, 'event-key'));
    expect(await narrowDataDirectory(dataDir, uid)).to.deep.equal([]);
    expect(await modeOf(theirs)).to.equal('644');
  });

  it('stay where another account owns them', async function () {
    needs(this, isRoot, 'root');
    await makeWide();
    for (const place of [dataDir, ...secrets.map((name) => path.join(dataDir, name))])
      await chown(place, NOBODY, NOBODY);
    expect(await narrowDataDirectory(dataDir, uid)).to.deep.equal([]);
    expect(await modeOf(dataDir)).to.match(/777$/);
  });
});
