import { either as E } from 'fp-ts';
import type { Clock } from '../../event-sourcing/clock.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { ObjectStorage, StoredObject } from '../ports.js';
import { documentIdOf, FILES } from './file-key.js';
import { LEFT_ALONE } from './sweep-files.js';
import { type NotLookedFor, unnamedFiles } from './unnamed-files.js';

/** A file that no event names; `isRecent` when it may belong to an upload that is in progress. */
type UnnamedFile = StoredObject & { readonly isRecent: boolean };

type FindUnnamedPorts = {
  readonly clock: Clock;
  readonly store: Pick<EventStore, 'readStream'>;
  readonly storage: Pick<ObjectStorage, 'list'>;
};

/** Whether an event of its document, as it is now, names the file. */
const isUnnamedNow = async (
  store: FindUnnamedPorts['store'],
  { key }: StoredObject,
): Promise<E.Either<NotLookedFor, boolean>> => {
  const documentId = documentIdOf(key);
  if (documentId === undefined) return E.right(true);
  const unnamed = await unnamedFiles(store, documentId, [key]);
  return E.isLeft(unnamed) ? unnamed : E.right(unnamed.right.has(key));
};

/**
 * The files in the storage that no event names. `isNamed` tells those that are known to be named; of each other one the
 * stream of its document is read, as it may have been named since. `onListed` is called for each file. A document with
 * an event that cannot be decoded, or that is erased without a word of it, may name any file below its id: those are left out. Ends early when `signal` aborts.
 * Throws the errors of both stores.
 */
export async function* findUnnamedFiles(
  { clock, store, storage }: FindUnnamedPorts,
  isNamed: (key: string) => boolean,
  onListed: () => void,
  signal: AbortSignal,
): AsyncGenerator<UnnamedFile> {
  for await (const object of storage.list(FILES)) {
    if (signal.aborted) return;
    onListed();
    if (isNamed(object.key)) continue;
    const unnamed = await isUnnamedNow(store, object);
    if (E.isLeft(unnamed)) {
      if (unnamed.left._tag === 'StoreUnavailable') throw unnamed.left;
    } else if (unnamed.right)
      yield { ...object, isRecent: clock.date().getTime() - object.modifiedAt.getTime() < LEFT_ALONE };
  }
}
