import { objectsAt, shortContentOf } from './archived-checkpoint.js';
import type { CheckpointObjects } from './checkpoint-objects.js';

/** The key has something else, which is not written over. */
export class Taken extends Error {
  constructor(key: string, what: string) {
    super(`the storage has something else under ${key}, where this ${what} belongs`);
  }
}

const holds = async (objects: CheckpointObjects, key: string, content: Buffer): Promise<boolean> => {
  for (const object of await objectsAt(objects, key))
    if (object.isEarlier !== true && (await shortContentOf(objects, object))?.equals(content) === true) return true;
  return false;
};

/** Does nothing where the same content is there already. Rejects with `Taken` where another one has its place and would be lost. */
export const keepOnce = async (
  objects: CheckpointObjects,
  key: string,
  content: Buffer,
  what: string,
): Promise<void> => {
  if (await holds(objects, key, content)) return;
  // another process may have put the same one meanwhile
  if ((await objects.add(key, content)) || (await holds(objects, key, content))) return;
  throw new Taken(key, what);
};
