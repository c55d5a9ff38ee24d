import { hashIn } from '../event-sourcing/hash-chain.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import { eventLeaf } from '../seal/event-leaf.js';
import { type Hash, leafHash } from '../seal/hash.js';

/** What the tree has of an event: the leaf hash of its leaf. */
export const leafHashOf = (event: StoredEvent): Hash => leafHash(eventLeaf(event, hashIn(event) ?? null));
