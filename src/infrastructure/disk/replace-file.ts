import { open, rm } from 'node:fs/promises';
import { renameDurably } from './durable-files.js';
import { writeDurably } from './write-object.js';
import type { Random } from '../../event-sourcing/random.js';

/** Whether a name is that of a file that was not finished. */
export const isUnfinished = (name: string): boolean => name.endsWith('.part');

/** Writes a file that only its owner may read, whole or not at all, in place of the one that has its name. */
export const replaceFile = async (
  random: Random,
  file: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> => {
  const unfinished = `${file}.${random.bytes(6).toString('hex')}.part`;
  try {
    await writeDurably(await open(unfinished, 'wx', 0o600), chunks);
    await renameDurably(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
};
