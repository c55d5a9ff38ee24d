import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, seal } from '../../src/event-sourcing/envelope.js';
import type { NewEvent } from '../../src/event-sourcing/recorded-event.js';

export type BenchFact = { readonly type: string; readonly data: Json; readonly actor?: string };

/** A stream while it is written. */
export type OpenStream = { readonly name: `${string}-${string}`; revision: bigint; hash: string };

export const openStreamOf = (category: string, id: string = randomUUID()): OpenStream => ({
  name: `${category}-${id}`,
  revision: 0n,
  hash: GENESIS_HASH,
});

const copied = (text: string): string => text.replaceAll('\\', '\\\\');

/** The next event of a stream, chained and sealed. */
export const sealNext = (
  stream: OpenStream,
  { type, data, actor = 'alice' }: BenchFact,
): NewEvent & { readonly revision: bigint } => {
  const id = randomUUID();
  const { revision } = stream;
  const sealed = seal({
    ...{ type, data, actor, id },
    stream: stream.name,
    revision,
    schemaVersion: 1,
    at: '2026-01-02T03:04:05.678Z',
    correlationId: id,
    causationId: id,
    request: '{}',
    previousHash: stream.hash,
  });
  stream.revision += 1n;
  stream.hash = sealed.hash;
  return { id, type, revision, data: sealed.data, metadata: sealed.metadata };
};

/** As a line of the text format of COPY. */
const lineOf = (stream: OpenStream, fact: BenchFact, position: number): string => {
  const { id, type, revision, data, metadata } = sealNext(stream, fact);
  return `${[position, stream.name, revision, id, type, copied(data), copied(metadata)].join('\t')}\n`;
};

/** Fills the empty log of a database with events in this order. */
export const fillLogWith = async (
  connectionString: string,
  events: Iterable<readonly [stream: OpenStream, fact: BenchFact]>,
): Promise<void> => {
  let position = 0;
  function* inChunks(): Generator<string> {
    let chunk = '';
    for (const [stream, fact] of events) {
      position += 1;
      chunk += lineOf(stream, fact, position);
      if (chunk.length < 256 * 1024) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('begin');
    const copy = 'copy event_log.event (position, stream, revision, id, type, data, metadata) from stdin';
    await pipeline(Readable.from(inChunks()), client.query(copyFrom(copy)));
    await client.query('update event_log.head set position = $1', [position]);
    await client.query('commit');
    await client.query('vacuum analyze event_log.event');
  } finally {
    await client.end();
  }
};
