import { link, lstat, mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../error-code.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { createPrivateFile, syncDirectory } from './durable-files.js';
import { unlessMissing } from './missing-files.js';
import type { Random } from '../../event-sourcing/random.js';

/** A directory cannot hold data. The message names it, and says what is wrong and what to do. */
export class UnusableDirectory extends Error {
  readonly reason: string;
  constructor(directory: string, reason: string, options?: ErrorOptions) {
    super(
      `${path.resolve(directory)} cannot be used for data: ${reason}. Mend that, or set DATA_DIR to another directory.`,
      options,
    );
    this.name = 'UnusableDirectory';
    this.reason = reason;
  }
}

const mayNot = (): string => {
  const uid = process.getuid?.();
  return `this process${uid === undefined ? '' : ` (uid ${uid})`} may not read and write there`;
};

const reasons: Readonly<Record<string, () => string>> = {
  EACCES: mayNot,
  EPERM: mayNot,
  EROFS: () => 'its file system is read-only',
  ENOSPC: () => 'its disk is full',
  EDQUOT: () => 'the disk quota is used up',
  ENAMETOOLONG: () => 'its path is too long',
  ELOOP: () => 'its path has a link that leads back to itself',
  ENOTDIR: () => 'a file is in the place of the directory, or of one above it',
  EEXIST: () => 'a file is in the place of the directory, or of one above it',
};

/** What is wrong with a directory where a call of the file system failed so; undefined for an error of another kind. */
export const faultOf = (cause: unknown): string | undefined => reasons[errorCode(cause)]?.();

const unusable = (directory: string, cause: unknown): UnusableDirectory =>
  cause instanceof UnusableDirectory
    ? cause
    : new UnusableDirectory(directory, faultOf(cause) ?? reasonOf(cause), { cause });

const isDirectory = async (name: string): Promise<boolean> => (await unlessMissing(stat(name)))?.isDirectory() === true;

/** Makes one directory in a parent that is there. */
const makeOne = async (wanted: string, directory: string, mode: number): Promise<void> => {
  try {
    await mkdir(directory, { mode });
  } catch (cause) {
    if (await isDirectory(directory)) return; // another process was faster, or the file system is read-only and has it
    if (errorCode(cause) === 'EEXIST' && (await lstat(directory)).isSymbolicLink())
      throw new UnusableDirectory(wanted, `${directory} is a link to nothing`, { cause });
    if (errorCode(cause) === 'ENOENT')
      throw new UnusableDirectory(wanted, `nothing can be made in ${path.dirname(directory)}`, { cause });
    throw cause;
  }
};

/** `mkdir` with `recursive` tries for ever below `/proc`, and does not say that a file system is read-only. */
const makeWithParents = async (wanted: string, directory: string, above: number): Promise<void> => {
  if ((await unlessMissing(stat(directory))) === undefined && path.dirname(directory) !== directory)
    await makeWithParents(wanted, path.dirname(directory), above);
  if (!(await isDirectory(directory))) await makeOne(wanted, directory, directory === wanted ? 0o700 : above);
};

/** For a step that fails on some file systems: `own` is the code by which this step says that it is one of them. */
const refuse =
  (directory: string, reason: string, own?: string) =>
  (cause: unknown): never => {
    throw faultOf(cause) === undefined || errorCode(cause) === own
      ? new UnusableDirectory(directory, `${reason} (${reasonOf(cause)})`, { cause })
      : unusable(directory, cause);
  };

/** Whether a name is that of a file by which a directory was tried, and which was left there by a process that was killed. */
export const isTried = (name: string): boolean => /^\.tried-[0-9a-f]{12}(?:\.2)?$/.test(name);

/** Does once with a small file what is done with data: writes and syncs it, gives it a second name, and syncs the names. */
const tryOut = async (random: Random, directory: string): Promise<void> => {
  const file = path.join(directory, `.tried-${random.bytes(6).toString('hex')}`);
  try {
    await createPrivateFile(file, 'x').catch(refuse(directory, 'a file there cannot be written and synced to disk'));
    await link(file, `${file}.2`).catch(refuse(directory, 'its file system has no hard links', 'EPERM'));
    await syncDirectory(directory).catch(refuse(directory, 'its file system cannot sync the names in a directory'));
  } finally {
    for (const each of [file, `${file}.2`]) await rm(each, { force: true }).catch(() => undefined);
  }
};

/**
 * Makes a directory that only its owner may enter, and those above it, with the mode `above`, unless they are there, and
 * tries that data can be kept there durably. Rejects with `UnusableDirectory`.
 */
export const prepareDirectory = async (random: Random, directory: string, above = 0o755): Promise<void> => {
  try {
    const wanted = path.resolve(directory);
    await makeWithParents(wanted, wanted, above);
    await tryOut(random, wanted);
  } catch (cause) {
    throw unusable(directory, cause);
  }
};
