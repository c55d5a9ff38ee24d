import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { NewEvent, Position, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

export const AT = '2026-01-02T03:04:05.678Z';

type Fact = { readonly type: string; readonly data: Json; readonly at?: string };

/** An event as it would be appended, in a sealed envelope. */
export const sealed = (
  { type, data, at = AT }: Fact,
  stream: StreamName,
  revision: bigint,
  schemaVersion = 1,
): NewEvent => {
  const { hash: _hash, ...event } = seal(
    {
      id: randomUUID(),
      stream,
      revision,
      type,
      data,
      schemaVersion,
      at,
      actor: 'alice',
      correlationId: 'request-1',
      causationId: 'command-1',
      request: 'null',
      previousHash: GENESIS_HASH,
    },
    newSalt(systemRuntime.random),
  );
  return event;
};

/** Appends facts to a stream from a revision on, and gives the position of the last. */
export const append = async (
  store: EventStore,
  stream: StreamName,
  from: bigint,
  ...events: ReadonlyArray<NewEvent | Fact>
): Promise<Position> => {
  const [first, ...rest] = events.map((event, index) =>
    'id' in event ? event : sealed(event, stream, from + BigInt(index)),
  );
  if (first === undefined) throw new Error('nothing to append');
  const appended = await store.append(stream, from === 0n ? 'no-stream' : from - 1n, [first, ...rest]);
  if (E.isLeft(appended)) throw new Error('not appended', { cause: appended.left });
  return appended.right.position;
};

export const created = (name: string, fields: Readonly<Record<string, Json>> = {}): Fact => ({
  type: 'BusinessCreated',
  data: { name, ...fields },
});

export const renamed = (name: string): Fact => ({ type: 'BusinessUpdated', data: { changes: { name } } });

export const deleted: Fact = { type: 'BusinessDeleted', data: {} };
