import { createReadStream } from 'node:fs';
import { access, link, mkdir, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { BackupFault } from '../../backup/backup-fault.js';
import type { BackupPlace } from '../../backup/backup-place.js';
import { formatOwner, isAlive, makeOwner, parseOwner } from '../process-liveness.js';
import { type UnfitObject, makeCheckpointArchive } from '../checkpoints/checkpoint-archive.js';
import { makeTimestampArchive } from '../checkpoints/timestamp-archive.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { errorCode } from '../error-code.js';
import { createFirst, syncDirectory } from './durable-files.js';
import { openDiskStorage } from './disk-storage.js';
import { unlessMissing } from './missing-files.js';
import { isUnfinished, replaceFile } from './replace-file.js';
import { isTried, prepareDirectory, UnusableDirectory } from './usable-directory.js';
import type { Random } from '../../event-sourcing/random.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

const [MANIFEST, LOCK, FILES_FOLDER, SECRETS_FOLDER] = ['manifest.json', 'lock', 'files', 'secrets'];

/** What a run that was killed may leave beside the manifest of its predecessor, or before there is one. */
const isLeftBehind = (name: string): boolean =>
  isTried(name) || /^(?:lock|manifest\.json)(?:\.[0-9a-f]{12}(?:\.part)?)?$/.test(name);

const isThere = async (file: string): Promise<boolean> => (await unlessMissing(access(file).then(() => true))) === true;

type OpenOptions = { readonly runtime: Runtime; readonly onUnfit: (unfit: UnfitObject) => void };

/** What the service keeps in `files` of its data directory has the same form here. */
const openFiles = async (random: Random, directory: string, mustExist: boolean) => {
  const opened = await openDiskStorage(path.join(directory, FILES_FOLDER), { random, mustExist });
  if (E.isLeft(opened)) throw opened.left.cause;
  return opened.right;
};

/** An error of the file system as one of the backup, so that it is taken for nothing else. */
const faultOf = (what: string) => (cause: unknown) => {
  if (cause instanceof BackupFault) throw cause;
  if (cause instanceof UnusableDirectory) throw new BackupFault(`it cannot be used: ${cause.reason}`, { cause });
  throw new BackupFault(`${what}: ${reasonOf(cause)}`, { cause });
};

const readable = <A>(work: Promise<A>): Promise<A> => work.catch(faultOf('it cannot be read'));
const writable = <A>(work: Promise<A>): Promise<A> => work.catch(faultOf('it cannot be written'));

/** Chunks of which one knows whether they have failed, or what is done with them. */
class WatchedSource {
  readonly #chunks: AsyncIterable<Uint8Array>;
  #failure: { readonly error: unknown } | undefined;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#chunks;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Throws the failure of the chunks, where it was one, else the error. */
  rethrow(error: unknown): never {
    throw this.#failure === undefined ? error : this.#failure.error;
  }
}

/** Whole and durable, with its folder. */
const writeFile = async (
  random: Random,
  directory: string,
  name: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> => {
  const file = path.join(directory, name);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(random, file, chunks);
  await syncDirectory(directory);
};

const readSecret = (directory: string, name: string): Promise<string | undefined> =>
  unlessMissing(readFile(path.join(directory, SECRETS_FOLDER, name), 'utf8'));

const placeIn = (
  directory: string,
  { checkpoints, ...files }: Awaited<ReturnType<typeof openFiles>>,
  { runtime: { random }, onUnfit }: OpenOptions,
): BackupPlace => ({
  files,
  removeFiles: async (folder) => {
    const sum = { files: 0, fileBytes: 0 };
    for await (const { size } of files.list(`${folder}/`)) {
      sum.files += 1;
      sum.fileBytes += size;
    }
    const left = await files.removeForGood(folder);
    if (E.isLeft(left)) throw left.left.cause;
    if (left.right.length > 0) throw new BackupFault(`files of ${folder}, which is erased, cannot be removed`);
    return sum;
  },
  archive: makeCheckpointArchive(checkpoints, { onUnfit }),
  timestamps: makeTimestampArchive(checkpoints, { onUnfit }),
  readManifest: () => readable(unlessMissing(readFile(path.join(directory, MANIFEST), 'utf8'))),
  writeManifest: (text) => writable(replaceFile(random, path.join(directory, MANIFEST), [Buffer.from(text)])),
  writeSegment: async (name, chunks) => {
    const source = new WatchedSource(chunks);
    await writable(writeFile(random, directory, name, source)).catch((error: unknown) => source.rethrow(error));
  },
  openSegment: async (name) => {
    const file = path.join(directory, name);
    return (await readable(isThere(file))) ? createReadStream(file) : undefined;
  },
  writeSecret: async (name, text) => {
    if ((await readable(readSecret(directory, name))) === text) return;
    await writable(writeFile(random, directory, path.join(SECRETS_FOLDER, name), [Buffer.from(text)]));
  },
  readSecret: (name) => readable(readSecret(directory, name)),
});

/** Opens a backup to be read. Throws `BackupFault` where there is none. */
export const openBackup = async (directory: string, options: OpenOptions): Promise<BackupPlace> => {
  if (!(await readable(isThere(path.join(directory, MANIFEST)))))
    throw new BackupFault('there is no backup: manifest.json is missing');
  return placeIn(directory, await readable(openFiles(options.runtime.random, directory, true)), options);
};

/** The path without links, of a directory that may not exist yet. */
const realDirectory = async (directory: string): Promise<string> => {
  const absolute = path.resolve(directory);
  const real = await unlessMissing(realpath(absolute));
  return real ?? path.join(await realDirectory(path.dirname(absolute)), path.basename(absolute));
};

const isWithin = (inner: string, outer: string): boolean => {
  const relative = path.relative(outer, inner);
  return !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
};

/** Whether a run that was killed at once may have made this. */
const isBegun = async (directory: string, name: string): Promise<boolean> => {
  if (name !== FILES_FOLDER) return isLeftBehind(name);
  const below = await readdir(path.join(directory, FILES_FOLDER), { recursive: true, withFileTypes: true });
  return below.every((entry) => entry.isDirectory() || isTried(entry.name));
};

/** Throws `BackupFault` for a directory that has something else than a backup, or that lies in the data directory. */
const requireFit = async (directory: string, dataDir: string): Promise<void> => {
  if (isWithin(await realDirectory(directory), await realDirectory(dataDir)))
    throw new BackupFault(`it is within the data directory ${dataDir}, which is what is to be backed up`);
  const names = (await unlessMissing(readdir(directory))) ?? [];
  if (names.includes(MANIFEST)) return;
  for (const name of names)
    if (!(await isBegun(directory, name))) throw new BackupFault(`it holds something else than a backup: ${name}`);
};

const lockText = (random: Random): string => `${hostname()} ${formatOwner(makeOwner(random, 'operator'))}\n`;

/** Whether the process that wrote the lock has ended; one of another machine is never known to have. */
const isStale = (text: string): boolean => {
  const [host, owner = ''] = text.trim().split(' ');
  const parsed = parseOwner(owner);
  return host === hostname() && parsed !== undefined && !isAlive(parsed);
};

/** Takes a stale lock away; puts back one that another process has taken meanwhile. */
const removeStale = async (random: Random, lock: string, text: string): Promise<void> => {
  const aside = `${lock}.${random.bytes(6).toString('hex')}`;
  if ((await unlessMissing(rename(lock, aside).then(() => true))) !== true) return;
  try {
    if ((await readFile(aside, 'utf8')) !== text) await link(aside, lock);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
};

const lockBackup = async (random: Random, directory: string): Promise<() => Promise<void>> => {
  const lock = path.join(directory, LOCK);
  const held = await unlessMissing(readFile(lock, 'utf8'));
  if (held !== undefined && isStale(held)) await removeStale(random, lock, held);
  if (!(await createFirst(random, lock, lockText(random)))) {
    const [host = '', owner = ''] = ((await unlessMissing(readFile(lock, 'utf8'))) ?? '').trim().split(' ');
    const pid = parseOwner(owner)?.pid ?? 'unknown';
    throw new BackupFault(
      `another backup into it is at work (pid ${pid} on ${host}). If that process is gone, remove ${lock}`,
    );
  }
  return () => rm(lock, { force: true });
};

/** Removes what a run that was killed has left unfinished. */
const removeUnfinished = async (directory: string): Promise<void> => {
  for (const folder of ['', 'log', 'checkpoints', SECRETS_FOLDER, FILES_FOLDER]) {
    const names = (await unlessMissing(readdir(path.join(directory, folder)))) ?? [];
    for (const name of names)
      if (isUnfinished(name) || isTried(name)) await rm(path.join(directory, folder, name), { force: true });
  }
};

/** A backup that is being written, and how its lock is released. */
type OpenedBackup = { readonly place: BackupPlace; readonly close: () => Promise<void> };

const openLocked = async (directory: string, dataDir: string, options: OpenOptions): Promise<OpenedBackup> => {
  const { clock, random } = options.runtime;
  await requireFit(directory, dataDir);
  await prepareDirectory(random, directory, 0o700);
  const unlock = await lockBackup(random, directory);
  try {
    await removeUnfinished(directory);
    const files = await openFiles(random, directory, false);
    const cleared = await files.clearUnfinished(clock.date());
    if (E.isLeft(cleared)) throw cleared.left.cause;
    return { place: placeIn(directory, files, options), close: unlock };
  } catch (error) {
    await unlock();
    throw error;
  }
};

/**
 * Opens a directory to back up into, for one process at a time; makes it where it is missing. Throws `BackupFault` where it
 * is not one to back up into, or does not work.
 */
export const openBackupToWrite = (directory: string, dataDir: string, options: OpenOptions): Promise<OpenedBackup> =>
  writable(openLocked(directory, dataDir, options));
