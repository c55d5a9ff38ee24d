import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from './durable-files.js';
import type { Layout } from './layout.js';
import type { Random } from '../../event-sourcing/random.js';

/** Writes and syncs a new file, and closes it. */
export const writeDurably = async (
  file: FileHandle,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> => {
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Used after a failure, which is the one to report. A file that stays is removed with the old unfinished ones. */
const removeQuietly = async (file: string): Promise<void> => {
  await rm(file, { force: true }).catch(() => undefined);
};

const ensureShard = async (shard: string): Promise<void> => {
  const created = await mkdir(shard, { recursive: true, mode: 0o700 });
  if (created !== undefined) await syncDirectory(path.dirname(shard));
};

const publish = async (from: string, to: string): Promise<void> => {
  const shard = path.dirname(to);
  await ensureShard(shard);
  await rename(from, to);
  try {
    await syncDirectory(shard);
  } catch (error) {
    await removeQuietly(to);
    throw error;
  }
};

/**
 * Stores an object whole and durable under its name, or not at all: written and synced as an unfinished file, then
 * renamed. A crash leaves at most an unfinished file. Throws errors of the file system and of `chunks`.
 */
export const writeObject = async (
  random: Random,
  layout: Layout,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> => {
  const target = layout.fileOf(key);
  const unfinished = path.join(layout.unfinished, random.uuid());
  try {
    await writeDurably(await open(unfinished, 'wx', 0o600), chunks);
    await publish(unfinished, target);
  } catch (error) {
    await removeQuietly(unfinished);
    throw error;
  }
};
