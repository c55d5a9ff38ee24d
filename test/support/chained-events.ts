import { createHash } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { NewEvent, StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const uuidOf = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');

/** The stream of business number `number`, the same in every run. */
export const businessStream = (number: number): StreamName => `business-${uuidOf(`business ${number}`)}`;

/** Appends to some streams alternately, each event linked to the one before it, and sealed under the key if there is one. */
export const makeChains = (eventKey?: EventKey) => {
  const ends = new Map<StreamName, { revision: bigint; hash: string }>();

  return (
    stream: StreamName,
    data?: Json,
    type = ends.has(stream) ? 'BusinessUpdated' : 'BusinessCreated',
  ): { readonly event: NewEvent; readonly revision: bigint } => {
    const { revision, hash: previousHash } = ends.get(stream) ?? { revision: 0n, hash: GENESIS_HASH };
    const fact = {
      id: uuidOf(`${stream} ${revision}`),
      stream,
      revision,
      type,
      data: data ?? (revision === 0n ? { name: `Business ${stream}` } : { changes: { phone: `+1 555 ${revision}` } }),
      schemaVersion: 1,
      at: '2026-01-02T03:04:05.678Z',
      actor: 'alice',
      correlationId: 'request-1',
      causationId: uuidOf(`command ${stream} ${revision}`),
      request: 'null',
      previousHash,
    };
    const { hash, ...event } = seal(fact, newSalt(systemRuntime.random), eventKey);
    ends.set(stream, { revision: revision + 1n, hash });
    return { event, revision };
  };
};

export type Chains = ReturnType<typeof makeChains>;

/** Appends the next event of each of these streams, in this order. */
export const appendChained = async (
  store: EventStore,
  chains: Chains,
  ...streams: ReadonlyArray<StreamName>
): Promise<void> => {
  for (const stream of streams) {
    const { event, revision } = chains(stream);
    const appended = await store.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [event]);
    if (E.isLeft(appended)) throw new Error('not appended', { cause: appended.left });
  }
};

/** `rounds` events of each of `count` businesses, one business after the other in every round. */
export const interleaved = (count: number, rounds: number): ReadonlyArray<StreamName> =>
  Array.from({ length: rounds }, () => Array.from({ length: count }, (_, number) => businessStream(number))).flat();

/** All events of a log, in its order. */
export const wholeLog = async (store: EventStore): Promise<ReadonlyArray<StoredEvent>> => {
  const all: Array<StoredEvent> = [];
  for await (const { events } of store.readAll({ after: 'start' })) all.push(...events);
  return all;
};

/** What a copy of a log keeps of each event: everything but its position. */
export const withoutPositions = (events: ReadonlyArray<StoredEvent>) =>
  events.map(({ position: _position, ...event }) => event);
