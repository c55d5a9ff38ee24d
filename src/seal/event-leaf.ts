import { createHash } from 'node:crypto';
import { either as E } from 'fp-ts';
import { canonicalJson } from '../event-sourcing/canonical-json.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import { leafData } from './entry-bundle.js';

/**
 * The data of an event's leaf, 32 bytes: its `hash`. An event that names none (its envelope is not one of ours) has
 * SHA-256 of JCS(`{id, stream, revision, type}`) in its place, with the revision as text: it counts, and keeps its place,
 * but nothing vouches for its data.
 */
export const eventLeaf = (
  { id, stream, revision, type }: Pick<StoredEvent, 'id' | 'stream' | 'revision' | 'type'>,
  hash: string | null,
): Buffer => {
  const data = leafData(hash ?? '');
  if (E.isRight(data)) return data.right;
  return createHash('sha256')
    .update(canonicalJson({ id, stream, revision: revision.toString(), type }), 'utf8')
    .digest();
};
