import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Projection } from '../../../projection.js';
import { type Entity, writtenContentOf } from '../../rows/rows.js';
import type { EntityWriter } from '../../storage.js';
import { tableOf, WRITTEN_COLUMNS } from '../schema/table.js';

const CHUNK_CHARACTERS = 64 * 1024;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in the text format of COPY. */
const copied = (value: string | null): string =>
  value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);

/** Rows in the text format of COPY, several in each string. */
export function* copyText(projection: Projection, entities: Iterable<Entity>): Generator<string> {
  let chunk = '';
  for (const entity of entities) {
    const { id, creationPosition, revision, isParked, state } = entity;
    const { body, hidden, createdAt, updatedAt, words, snapshot } = writtenContentOf(projection, entity);
    const keys = projection.keys.map(({ cellOf }) => cellOf(state));
    const cells = [body, hidden, createdAt, updatedAt, words, snapshot, ...keys].map(copied).join('\t');
    chunk += `${id}\t${creationPosition}\t${revision}\t${isParked ? 't' : 'f'}\t${cells}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Inserts rows, given by `copyText`, that the table does not have yet. Rejects when the database rejects one. */
export const copyRows = async (
  client: PoolClient,
  { generation, projection }: EntityWriter,
  text: Iterable<string> | AsyncIterable<string>,
  signal?: AbortSignal,
): Promise<void> => {
  const columns = [...WRITTEN_COLUMNS, ...projection.keys.map(({ name }) => name)].join(', ');
  const target = client.query(copyFrom(`copy ${tableOf(generation)} (${columns}) from stdin`));
  await pipeline(Readable.from(text), target, { signal });
};
