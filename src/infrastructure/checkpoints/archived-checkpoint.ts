import type { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../../read/sealed-tree.js';
import { readCheckpoint } from '../../seal/checkpoint.js';
import { NoSuchObject } from '../open-failure.js';
import { checkpointKey } from './checkpoint-key.js';
import type { CheckpointObjects, FoundObject } from './checkpoint-objects.js';

/** More bytes than a note with as many signatures as it may have, or a timestamp with its certificates. */
const LONGEST = 64 * 1024;

/** All of a short stream; undefined of a longer one. */
const shortContent = async (body: Readable): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST) return undefined; // leaving the loop ends the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The content of an object of at most 64 KiB; undefined of a longer one, and where it is no longer there. */
export const shortContentOf = async (
  { open }: Pick<CheckpointObjects, 'open'>,
  object: FoundObject,
): Promise<Buffer | undefined> => {
  try {
    return await shortContent(await open(object));
  } catch (error) {
    if (error instanceof NoSuchObject) return undefined;
    throw error;
  }
};

/** All objects that a key has. */
export const objectsAt = async (
  { list }: Pick<CheckpointObjects, 'list'>,
  key: string,
): Promise<ReadonlyArray<FoundObject>> => {
  const end = key.lastIndexOf('/');
  const { objects } = await list(key.slice(0, end), key.slice(end + 1));
  return objects.filter((object) => object.key === key);
};

/** The checkpoint that an object is, whoever has signed it. Left: why it is none. */
export const archivedCheckpoint = async (
  objects: Pick<CheckpointObjects, 'open'>,
  object: FoundObject,
): Promise<E.Either<string, SignedCheckpoint>> => {
  const content = await shortContentOf(objects, object);
  if (content === undefined) return E.left('it is no regular object, or longer than any checkpoint');
  const opened = readCheckpoint(content);
  if (E.isLeft(opened)) return opened;
  const { origin, size } = opened.right;
  if (checkpointKey({ origin, size }) !== object.key) return E.left('its key is not that of the checkpoint in it');
  return E.right({ origin, size, note: content.toString() });
};
