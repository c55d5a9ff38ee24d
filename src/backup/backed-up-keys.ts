import { either as E, json as J } from 'fp-ts';
import * as t from 'io-ts';
import type { KeyPath, KeyTree } from '../event-sourcing/encryption/key-tree.js';
import { type StoredTree, unwrapTree } from '../event-sourcing/encryption/wrapped-tree.js';
import type { EventKeys } from '../event-sourcing/event-key.js';
import { erasedPlaces } from '../event-sourcing/erasure/erased-places.js';
import { decisionIn } from '../event-sourcing/operators/counts-as-decision.js';
import { ERASURE_STREAM } from '../event-sourcing/operators/decision-events.js';
import type { CopySource } from '../event-sourcing/whole-log/copy-log.js';
import type { StreamName } from '../event-sourcing/recorded-event.js';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';

/**
 * The file of a backup that has the keys of encrypted data, among its secrets. It is in every backup: without it nobody could read
 * what the backup has, and with it nobody can who has no ERASURE_KEY.
 */
export const KEY_TREE = 'key-tree';

const TreeFile = t.type({ tree: t.string, version: t.number, wrapped: t.string });

export const renderTree = ({ tree, version, wrapped }: StoredTree): string =>
  `${JSON.stringify({ tree, version, wrapped: wrapped.toString('base64') })}\n`;

/** The keys of a backup as they are stored; undefined where its log is not encrypted. Throws `BackupFault`. */
export const readTreeFile = async (place: Pick<BackupPlace, 'readSecret'>): Promise<StoredTree | undefined> => {
  const text = await place.readSecret(KEY_TREE);
  if (text === undefined) return undefined;
  const parsed = J.parse(text);
  const file: unknown = E.isRight(parsed) ? parsed.right : undefined;
  if (!TreeFile.is(file)) throw new BackupFault(`secrets/${KEY_TREE} cannot be used`);
  return { ...file, wrapped: Buffer.from(file.wrapped, 'base64') };
};

/** The keys that one of these secrets opens. Throws `BackupFault` where none does. */
export const openTree = (stored: StoredTree, secrets: ReadonlyArray<string>): KeyTree => {
  const tree = unwrapTree(stored.wrapped, secrets, stored);
  if (tree === undefined) throw new BackupFault('no line of ERASURE_KEY opens the keys of the backup');
  return tree;
};

/**
 * The places of the keys that the log says were destroyed: they may have been copied before that. A decision counts that has a
 * `mac` of one of these keys, if there are any.
 */
export const erasedIn = async (log: Pick<CopySource, 'readAll'>, keys: EventKeys): Promise<ReadonlyArray<KeyPath>> => {
  const places: Array<KeyPath> = [];
  for await (const { events } of log.readAll({ after: 'start' }))
    for (const stored of events) {
      const event = stored.stream === ERASURE_STREAM ? decisionIn(stored, keys)?.event : undefined;
      if (event?.type !== 'ErasureBegun') continue;
      for (const { stream, events: of } of event.data.records)
        // reason: nothing else is recorded as a stream
        places.push(...erasedPlaces(stream as StreamName, of));
    }
  return places;
};
