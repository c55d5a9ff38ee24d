import { open, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { either as E } from 'fp-ts';
import { linkDurably, renameDurably } from '../../infrastructure/disk/durable-files.js';
import { unlessMissing } from '../../infrastructure/disk/missing-files.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

export const exists = async (file: string): Promise<boolean> => (await unlessMissing(stat(file))) !== undefined;

/** False when the name is taken, and must not be. */
const putInPlace = async (temporary: string, file: string, overwrites: boolean): Promise<boolean> => {
  if (!overwrites) return linkDurably(temporary, file);
  await renameDurably(temporary, file);
  return true;
};

type FileExists = { readonly _tag: 'FileExists' };

type Write<Failure, A> = (output: Writable) => Promise<E.Either<Failure, A>>;

const sync = async (file: string): Promise<void> => {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const writeSynced = async <Failure, A>(file: string, write: Write<Failure, A>): Promise<E.Either<Failure, A>> => {
  const output = (await open(file, 'wx', 0o600)).createWriteStream();
  try {
    const written = await write(output);
    if (E.isRight(written)) await sync(file);
    return written;
  } finally {
    output.destroy();
  }
};

/**
 * Writes a file that only its owner may read, whole or not at all: under another name beside it until it is synced. Throws
 * errors of the file system and what `write` throws.
 */
export const writeWholeFile = async <Failure, A>(
  file: string,
  overwrites: boolean,
  write: Write<Failure, A>,
): Promise<E.Either<Failure | FileExists, A>> => {
  const temporary = `${file}.${systemRuntime.random.bytes(6).toString('hex')}.part`;
  try {
    const written = await writeSynced(temporary, write);
    if (E.isLeft(written) || (await putInPlace(temporary, file, overwrites))) return written;
    return E.left({ _tag: 'FileExists' });
  } finally {
    await rm(temporary, { force: true });
  }
};
