import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { tableOf } from '../instance/instance.js';
import type { Entity } from '../rows.js';
import { BASE_COLUMNS } from '../table.js';
import { type Writer, writeRows } from '../write-batch.js';

const CHUNK_CHARACTERS = 64 * 1024;
const UPSERTED_AT_ONCE = 1_000;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in the text format of COPY. */
const copied = (value: string | null): string =>
  value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);

/** Rows in the text format of COPY, some of them a chunk. */
export function* copyText<State, Event extends DomainEvent>(
  { keys, contentOf }: Projection<State, Event>,
  entities: Iterable<Entity<State>>,
): Generator<string> {
  let chunk = '';
  for (const { id, place, revision, isParked, state } of entities) {
    const { body, kept } = contentOf(id, state);
    const cells = [body, kept, ...keys.map(({ cellOf }) => cellOf(state))].map(copied).join('\t');
    chunk += `${id}\t${place}\t${revision}\t${isParked ? 't' : 'f'}\t${cells}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Writes rows, given as `copyText`, that are not in the table of an instance yet. Rejects when one is refused. */
export const copyRows = async <State, Event extends DomainEvent>(
  client: PoolClient,
  { instance, projection }: Writer<State, Event>,
  text: Iterable<string> | AsyncIterable<string>,
  signal?: AbortSignal,
): Promise<void> => {
  const columns = [...BASE_COLUMNS, ...projection.keys.map(({ name }) => name)].join(', ');
  const target = client.query(copyFrom(`copy ${tableOf(instance)} (${columns}) from stdin`));
  await pipeline(Readable.from(text), target, { signal });
};

/**
 * Writes many rows within a transaction that moves the checkpoint: by COPY into an empty table, else by upserts.
 * Rejects when the database refuses a row.
 */
export const loadRows = async <State, Event extends DomainEvent>(
  client: PoolClient,
  writer: Writer<State, Event>,
  entities: Iterable<Entity<State>>,
  isEmpty: boolean,
): Promise<void> => {
  if (isEmpty) return copyRows(client, writer, copyText(writer.projection, entities));
  let chunk: Array<Entity<State>> = [];
  for (const entity of entities) {
    chunk.push(entity);
    if (chunk.length < UPSERTED_AT_ONCE) continue;
    await writeRows(client, writer, chunk);
    chunk = [];
  }
  await writeRows(client, writer, chunk);
};
