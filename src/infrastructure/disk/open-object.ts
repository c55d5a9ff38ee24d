import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';

/** Follows no link, and does not wait for a writer where somebody has put a pipe. Windows has neither of the flags. */
const FLAGS =
  // reason: Node leaves out the constants that the system lacks
  constants.O_RDONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0);

const requireFile = async (file: FileHandle, range: ByteRange | undefined): Promise<void> => {
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error('what is stored there is no file');
  if (range !== undefined && range.last >= stats.size)
    throw new RangeError(`byte ${range.last} was asked for, the file has ${stats.size}`);
};

/** Opens before it answers; the handle is closed when the stream ends, fails or is destroyed. Fails on what is no file. */
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
