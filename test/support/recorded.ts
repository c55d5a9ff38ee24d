import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { sometime } from './given.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** How an event was recorded, where it matters. */
export type Recording = {
  readonly stream?: StreamName;
  readonly revision?: bigint;
  readonly previousHash?: string;
  readonly schemaVersion?: number;
  readonly at?: string;
  readonly actor?: string;
  readonly eventKey?: EventKey;
};

const idAt = (revision: bigint): string => `01890000-0000-7000-8000-${revision.toString(16).padStart(10, '0')}00`;

/** A domain event as a store gives it back, in a sealed envelope. */
export const stored = (
  { type, data }: { readonly type: string; readonly data: Json },
  {
    stream = 'business-b1',
    revision = 0n,
    previousHash = GENESIS_HASH,
    schemaVersion = 1,
    eventKey,
    ...who
  }: Recording = {},
): StoredEvent => {
  const fact = {
    id: idAt(revision),
    stream,
    revision,
    type,
    data,
    schemaVersion,
    actor: sometime.actor,
    at: sometime.at,
    ...who,
    correlationId: 'request-1',
    causationId: idAt(revision),
    request: 'null',
    previousHash,
  };
  const { hash: _hash, ...event } = seal(fact, newSalt(systemRuntime.random), eventKey);
  return { ...event, stream, revision, position: revision + 1n };
};
