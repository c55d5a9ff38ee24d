import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';

/**
 * Does not follow a link, and does not block on a pipe that has no writer. Windows has neither flag: there both are
 * undefined, which counts as 0.
 */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const requireFile = async (file: FileHandle, range: ByteRange | undefined): Promise<void> => {
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error('the object is not a regular file');
  if (range !== undefined && range.last >= stats.size)
    throw new RangeError(`byte ${range.last} was asked for, the file has ${stats.size} bytes`);
};

/**
 * Resolves when the file is open. It is closed when the stream ends, fails or is destroyed. Throws on anything but a
 * regular file, and on a range beyond its end.
 */
export const openObject = async (name: string, range?: ByteRange): Promise<Readable> => {
  const file = await open(name, FLAGS);
  try {
    await requireFile(file, range);
    return file.createReadStream(range === undefined ? {} : { start: range.first, end: range.last });
  } catch (error) {
    await file.close();
    throw error;
  }
};
