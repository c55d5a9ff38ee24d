import type { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import { lastBySettings, recordBySettings } from '../operators/decided-by-settings.js';
import type { Runtime } from '../runtime.js';

/**
 * The tree by whose keys the log says that its data is encrypted; undefined where it says nothing. The last word counts: a log
 * that was imported has keys of its own. Throws `StoreUnavailable`.
 */
export const findEncryptionBegun = async (
  store: Pick<EventStore, 'readStream'>,
  keys: EventKeys,
): Promise<string | undefined> => (await lastBySettings(store, 'EncryptionBegun', keys))?.tree;

/** Records in the log that its data is encrypted by this tree, unless it says so already. Throws what the log throws. */
export const recordEncryptionBegun = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  tree: string,
  keys: EventKeys,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordBySettings(runtime, store, { type: 'EncryptionBegun', data: { tree } }, (last) => last?.tree === tree, keys);
