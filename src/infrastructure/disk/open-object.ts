import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';

const requireBytes = async (file: FileHandle, { last }: ByteRange): Promise<void> => {
  const { size } = await file.stat();
  if (last >= size) throw new RangeError(`byte ${last} was asked for, the file has ${size}`);
};

/** Opens before it answers; the handle is closed when the stream ends, fails or is destroyed. */
export const openObject = async (name: string, range?: ByteRange): Promise<Readable> => {
  const file = await open(name, 'r');
  try {
    if (range === undefined) return file.createReadStream();
    await requireBytes(file, range);
    return file.createReadStream({ start: range.first, end: range.last });
  } catch (error) {
    await file.close();
    throw error;
  }
};
