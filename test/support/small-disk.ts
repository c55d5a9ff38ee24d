import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file system of its own in memory. */
export type SmallDisk = {
  readonly directory: string;
  /** Leaves no byte free, by a file of zeros. */
  readonly fill: () => Promise<void>;
  /** Takes that file away. */
  readonly makeRoom: () => Promise<void>;
  readonly unmount: () => void;
};

const ZEROS = Buffer.alloc(64 * 1024);

const writeUntilFull = async (name: string): Promise<void> => {
  const file = await open(name, 'w');
  try {
    for (;;) await file.write(ZEROS);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
};

/** Mounts one of so many MiB; undefined where this process may not mount. */
export const mountSmallDisk = (mebibytes: number): SmallDisk | undefined => {
  const directory = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  const filler = path.join(directory, 'filler');
  return {
    directory,
    fill: () => writeUntilFull(filler),
    makeRoom: () => rm(filler, { force: true }),
    unmount: () => {
      execFileSync('umount', [directory]);
      rmSync(directory, { recursive: true });
    },
  };
};

/** What a test says it needs that mounts one. */
export const MOUNTING = 'the right to mount a small file system';
