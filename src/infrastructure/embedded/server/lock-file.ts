import { link, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { unlessMissing } from '../../disk/missing-files.js';
import type { Random } from '../../../event-sourcing/random.js';

/** The contents of `postmaster.pid`, Postgres's own lock on a data directory. */
export type LockFile = {
  readonly text: string;
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping';
};

const lockFileIn = (data: string): string => path.join(data, 'postmaster.pid');

/**
 * Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status. See
 * src/include/utils/pidfile.h of Postgres.
 */
const parse = (text: string): LockFile => {
  const lines = text.split('\n');
  const status = lines[7]?.trim();
  return {
    text,
    pid: Math.abs(Number(lines[0])), // negative: a single-user Postgres
    port: Number(lines[3]),
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  };
};

export const readLockFile = async (data: string): Promise<LockFile | undefined> => {
  const text = await unlessMissing(readFile(lockFileIn(data), 'utf8'));
  return text === undefined ? undefined : parse(text);
};

/**
 * Removes the lock of a dead server whose pid now belongs to another process, which Postgres itself would take for the
 * server. The lock is renamed first and then compared: when another launcher has started a server since `stale` was
 * read, its lock is put back.
 */
export const removeStaleLock = async (random: Random, data: string, stale: LockFile): Promise<void> => {
  const aside = `${lockFileIn(data)}.${random.bytes(4).toString('hex')}`;
  await rename(lockFileIn(data), aside);
  const moved = await readFile(aside, 'utf8');
  if (moved !== stale.text) await link(aside, lockFileIn(data));
  await rm(aside);
};
