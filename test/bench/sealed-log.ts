import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import type { NewEvent } from '../../src/event-sourcing/recorded-event.js';
import { openStore } from '../support/postgres-event-store.js';
import { LIFT_GUARD_OF_HEAD } from '../support/tamper.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

export type BenchFact = {
  readonly type: string;
  readonly data: Json;
  readonly actor?: string;
  /** ISO 8601, UTC, with milliseconds. */
  readonly at?: string;
};

/** A stream while it is written. */
export type OpenStream = { readonly name: `${string}-${string}`; revision: bigint; hash: string };

export const openStreamOf = (category: string, id: string = randomUUID()): OpenStream => ({
  name: `${category}-${id}`,
  revision: 0n,
  hash: GENESIS_HASH,
});

const copied = (text: string): string => text.replaceAll('\\', '\\\\');

/** The next event of a stream, chained and not yet sealed. */
export const unsealedNext = (
  stream: OpenStream,
  { type, data, actor = 'alice', at = '2026-01-02T03:04:05.678Z' }: BenchFact,
): Parameters<typeof seal>[0] => {
  const id = randomUUID();
  return {
    ...{ type, data, actor, at, id },
    stream: stream.name,
    revision: stream.revision,
    schemaVersion: 1,
    correlationId: id,
    causationId: id,
    request: '{}',
    previousHash: stream.hash,
  };
};

/** The next event of a stream, chained and sealed; it has a `mac` where there is a key. */
export const sealNext = (
  stream: OpenStream,
  fact: BenchFact,
  key?: EventKey,
): NewEvent & { readonly revision: bigint } => {
  const unsealed = unsealedNext(stream, fact);
  const { id, type, data, metadata, hash } = seal(unsealed, newSalt(systemRuntime.random), key);
  stream.revision += 1n;
  stream.hash = hash;
  return { id, type, revision: unsealed.revision, data, metadata };
};

/** As a line of the text format of COPY. */
const lineOf = (stream: OpenStream, fact: BenchFact, position: number, key: EventKey | undefined): string => {
  const { id, type, revision, data, metadata } = sealNext(stream, fact, key);
  return `${[position, stream.name, revision, id, type, copied(data), copied(metadata)].join('\t')}\n`;
};

/** Fills the log of an empty database with events in this order; they have a `mac` where there is a key. */
export const fillLogWith = async (
  connectionString: string,
  events: Iterable<readonly [stream: OpenStream, fact: BenchFact]>,
  key?: EventKey,
): Promise<void> => {
  let position = 0;
  function* inChunks(): Generator<string> {
    let chunk = '';
    for (const [stream, fact] of events) {
      position += 1;
      chunk += lineOf(stream, fact, position, key);
      if (chunk.length < 256 * 1024) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  // whoever opens the log first makes its tables
  await (await openStore(connectionString)).close();
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('begin');
    // no event is taken beyond the head, and how many there will be is known behind the last
    await client.query(LIFT_GUARD_OF_HEAD);
    await client.query('update event_log.head set position = $1', [Number.MAX_SAFE_INTEGER]);
    const copy = 'copy event_log.event (position, stream, revision, id, type, data, metadata) from stdin';
    await pipeline(Readable.from(inChunks()), client.query(copyFrom(copy)));
    await client.query('update event_log.head set position = $1', [position]);
    await client.query('alter table event_log.head enable trigger user');
    await client.query('commit');
    await client.query('vacuum analyze event_log.event');
  } finally {
    await client.end();
  }
};
