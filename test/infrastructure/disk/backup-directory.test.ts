import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { openBackupToWrite } from '../../../src/infrastructure/disk/backup-directory.js';
import { formatOwner, makeOwner } from '../../../src/infrastructure/process-liveness.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('a directory to back up into', () => {
  let root: string;
  let directory: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'backup-directory-'));
    directory = path.join(root, 'backup');
    await mkdir(directory);
  });
  afterEach(() => rm(root, { recursive: true }));

  const lock = (): string => path.join(directory, 'lock');
  const opened = () =>
    openBackupToWrite(directory, path.join(root, 'data'), { runtime: systemRuntime, onUnfit: () => undefined });
  const refusal = async (): Promise<string> => String(await opened().catch((error: unknown) => error));
  const own = makeOwner(systemRuntime.random, 'operator');

  it('is opened by one at a time, and by the next when it is closed', async () => {
    const { close } = await opened();
    expect(await refusal()).to.include(`another backup into it is at work (pid ${process.pid} on ${hostname()})`);
    await close();
    expect(await readdir(directory)).not.to.include('lock');
    await (await opened()).close();
  });

  it('is opened where the process has ended that had locked it, also when another one has its pid', async () => {
    const text = `${hostname()} ${formatOwner({ ...own, startTime: `${own.startTime}1` })}\n`;
    await writeFile(lock(), text);
    const { close } = await opened();
    expect(await readFile(lock(), 'utf8')).to.include(` operator:${process.pid}:${own.startTime}:`);
    await close();
  });

  it('stays locked where nobody can tell whether that process has ended', async () => {
    const ended = formatOwner({ ...own, startTime: `${own.startTime}1` });
    for (const text of [`elsewhere.example ${ended}\n`, `${hostname()} somebody\n`, '']) {
      await writeFile(lock(), text);
      expect(await refusal(), text).to.include('another backup into it is at work');
      expect(await readFile(lock(), 'utf8')).to.equal(text);
    }
  });
});
