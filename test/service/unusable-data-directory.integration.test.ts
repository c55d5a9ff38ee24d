import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { beforeProgram } from '../support/before-program.js';
import { askRun } from '../support/once-a-run/ask.js';
import { needs } from '../support/needs.js';
import { runOperator } from '../support/operator.js';
import { startService } from '../support/service-process.js';
import { MOUNTING, mountSmallDisk, type SmallDisk } from '../support/small-disk.js';

const FILE_IN_PLACE = 'a file is in the place of the directory, or of one above it';

const isRoot = process.getuid?.() === 0;

/** Fails every sync of a directory as the file systems do that have none, in the process that loads it. */
const WITHOUT_SYNC = `
  import { open } from 'node:fs/promises';
  const handle = await open('/');
  await handle.close();
  const prototype = Object.getPrototypeOf(handle);
  const { sync } = prototype;
  prototype.sync = async function () {
    if ((await this.stat()).isDirectory()) throw Object.assign(new Error('EINVAL: invalid argument, fsync'), { code: 'EINVAL' });
    return sync.call(this);
  };
`;

const messageFor = (dataDir: string, reason: string): string =>
  `${dataDir} cannot be used for data: ${reason}. Mend that, or set DATA_DIR to another directory.`;

describe('a DATA_DIR that cannot be used', function () {
  this.timeout(180_000);
  let directory: string;
  let events: string;
  let disk: SmallDisk | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'unusable-'));
    events = path.join(directory, 'events.ndjson');
    await writeFile(events, '');
  });

  afterEach(async () => {
    disk?.unmount();
    disk = undefined;
    await rm(directory, { recursive: true });
  });

  /** What the service logs as fatal, after it has ended with 1 and without a stack. */
  const fatalOf = async (
    dataDir: string,
    options: Partial<Parameters<typeof startService>[0]> = {},
  ): Promise<string> => {
    const failure = await startService({ dataDir, ...options }).then(
      () => 'it started',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    expect(failure)
      .to.include('ended with 1 ')
      .and.to.not.match(/\\n +at |\n +at /);
    const line = failure.split('\n').find((text) => text.includes('"level":60')) ?? '{}';
    return (JSON.parse(line) as { readonly msg: string }).msg; // reason: the log is one JSON object a line
  };

  /** The service, and a command that makes what is missing, both say this. */
  const refused = async (dataDir: string, reason: string): Promise<void> => {
    expect(await fatalOf(dataDir)).to.equal(messageFor(dataDir, reason));
    const { code, stdout, stderr } = await runOperator(['log', 'import', events], { env: { DATA_DIR: dataDir } });
    expect([code, stdout, stderr]).to.deep.equal([1, '', `${messageFor(dataDir, reason)}\n`]);
  };

  it('is a file', () => refused(events, FILE_IN_PLACE));

  it('is below a file', () => refused(path.join(events, 'data'), FILE_IN_PLACE));

  it('is a link to nothing', async () => {
    const link = path.join(directory, 'link');
    await symlink('nowhere', link);
    await refused(link, `${link} is a link to nothing`);
  });

  it('has a path that is too long', () => refused(path.join(directory, 'a'.repeat(300)), 'its path is too long'));

  it('is below /proc', async function () {
    needs(this, process.platform === 'linux', 'Linux');
    await refused(`/proc/data`, 'nothing can be made in /proc');
  });

  it('is on a read-only file system', async function () {
    disk = mountSmallDisk(8);
    if (disk === undefined) {
      needs(this, false, MOUNTING);
      return;
    }
    await mkdir(path.join(disk.directory, 'there'));
    execFileSync('mount', ['-o', 'remount,ro', disk.directory]);
    await refused(path.join(disk.directory, 'new'), 'its file system is read-only');
    await refused(path.join(disk.directory, 'there'), 'its file system is read-only');
  });

  it('is on a full disk', async function () {
    disk = mountSmallDisk(8);
    if (disk === undefined) {
      needs(this, false, MOUNTING);
      return;
    }
    await disk.fill();
    await refused(disk.directory, 'its disk is full');
    expect(await readdir(disk.directory)).to.deep.equal(['filler']);
  });

  it('is on a disk without room for Postgres', async function () {
    disk = mountSmallDisk(8);
    if (disk === undefined) {
      needs(this, false, MOUNTING);
      return;
    }
    await refused(disk.directory, 'its disk has no room for Postgres to start');
  });

  it('is not ours to write', async function () {
    // root without the capabilities by which permissions do not count for it
    const under = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
    const [setpriv = '', ...args] = under;
    needs(this, isRoot && spawnSync(setpriv, [...args, 'true']).status === 0, 'root and setpriv, to obey permissions');
    await mkdir(path.join(directory, 'closed'), { mode: 0o700 });
    await chmod(directory, 0o711);
    for (const name of ['', 'closed']) await chown(path.join(directory, name), 65_534, 65_534);
    for (const name of ['', 'new', 'closed', 'closed/new'])
      expect(await fatalOf(path.join(directory, name), { under })).to.equal(
        messageFor(path.join(directory, name), 'this process (uid 0) may not read and write there'),
      );
  });

  it('is on a file system that cannot sync a directory', async () => {
    const program = [...beforeProgram(WITHOUT_SYNC), path.join(await askRun('build'), 'src/main.js')];
    const message = await fatalOf(path.join(directory, 'data'), { program });
    expect(message).to.equal(
      messageFor(
        path.join(directory, 'data'),
        'its file system cannot sync the names in a directory (EINVAL: invalid argument, fsync)',
      ),
    );
    expect(await readdir(path.join(directory, 'data'))).to.deep.equal([]);
  });
});
