import { constants } from 'node:fs';
import { access, type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';
import { errorCode } from '../error-code.js';
import { NoSuchObject, ObjectTooShort } from '../open-failure.js';
import type { Layout } from './layout.js';

/**
 * Does not follow a link, and does not block on a pipe that has no writer. Windows has neither flag: there both are
 * undefined, which counts as 0.
 */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const NOT_A_FILE = 'the object is not a regular file';

/** Opens the file. Throws `NoSuchObject` where there is none, or a link, though the directory of all objects is there. */
const openFile = async ({ objects }: Layout, name: string): Promise<FileHandle> => {
  try {
    return await open(name, FLAGS);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ELOOP') throw new NoSuchObject(NOT_A_FILE, { cause: error });
    if (code !== 'ENOENT') throw error;
    // a disk that is not mounted lacks every object, and that is no loss
    await access(objects);
    throw new NoSuchObject('there is no such object', { cause: error });
  }
};

const requireFile = async (file: FileHandle, range: ByteRange | undefined): Promise<void> => {
  const stats = await file.stat();
  if (!stats.isFile()) throw new NoSuchObject(NOT_A_FILE);
  if (range !== undefined && range.last >= stats.size)
    throw new ObjectTooShort(`byte ${range.last} was asked for, the file has ${stats.size} bytes`);
};

/**
 * Resolves when the file is open. It is closed when the stream ends, fails or is destroyed. Throws `NoSuchObject` unless
 * a regular file is there, and `ObjectTooShort` on a range beyond its end.
 */
export const openObject = async (layout: Layout, key: string, range?: ByteRange): Promise<Readable> => {
  const file = await openFile(layout, layout.fileOf(key));
  try {
    await requireFile(file, range);
    return file.createReadStream(range === undefined ? {} : { start: range.first, end: range.last });
  } catch (error) {
    await file.close();
    throw error;
  }
};
