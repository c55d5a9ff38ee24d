import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import { eventLeaf } from '../seal/event-leaf.js';
import { type Hash, leafHash } from '../seal/hash.js';

const hashIn = (metadata: string): string | null => {
  try {
    const envelope = JSON.parse(metadata) as { readonly hash?: unknown } | null; // reason: its member is tested
    return typeof envelope?.hash === 'string' ? envelope.hash : null;
  } catch {
    return null;
  }
};

/** What the tree has of an event: the leaf hash of its leaf. */
export const leafHashOf = (event: StoredEvent): Hash => leafHash(eventLeaf(event, hashIn(event.metadata)));
