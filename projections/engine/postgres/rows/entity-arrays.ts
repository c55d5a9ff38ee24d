import { bigintArray, booleanArray, textArray, uuidArray } from '../../../../src/postgres/binary-array.js';
import type { RunStatement } from '../../../../src/postgres/statement.js';
import { partLifecycle } from '../../../../src/read/record-body.js';
import type { Cell, Projection } from '../../../projection.js';
import { type Entity, writtenContentOf } from '../../rows/rows.js';
import { WRITTEN_COLUMNS } from '../schema/table.js';

/** Types of the columns that are sent as another type than text. */
const SENT: Readonly<Record<string, string>> = { id: 'uuid', place: 'bigint', revision: 'bigint', parked: 'boolean' };

const TYPES: Readonly<Record<string, string>> = { words: 'tsvector' };

/**
 * SQL that upserts rows from arrays, one for each column, bound from `$first` on. Writes nothing when `source` has no
 * row.
 */
export const upsertSql = (
  table: string,
  keys: ReadonlyArray<{ readonly name: string; readonly type: string }>,
  first: number,
  source = '(select) source',
): string => {
  const columns = [...WRITTEN_COLUMNS, ...keys.map(({ name }) => name)];
  const arrays = columns.map((name, i) => `$${first + i}::${SENT[name] ?? 'text'}[]`);
  const written = WRITTEN_COLUMNS.map((name) => ({ name, type: TYPES[name] ?? 'text' }));
  const values = [...written, ...keys].map(({ name, type }) => (type === 'text' ? name : `${name}::${type}`));
  const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  return `insert into ${table} as t (${columns.join(', ')})
    select ${values.map((value) => `u.${value}`).join(', ')}
    from ${source}, unnest(${arrays.join(', ')}) u (${columns.join(', ')})
    on conflict (id) do update set ${updates.join(', ')} where t.revision <= excluded.revision`;
};

/** The arrays that `upsertSql` binds. */
export const rowArrays = (projection: Projection, entities: ReadonlyArray<Entity>): Array<Buffer> => {
  const contents = entities.map((entity) => writtenContentOf(projection, entity));
  return [
    uuidArray(entities.map(({ id }) => id)),
    bigintArray(entities.map(({ creationPosition }) => creationPosition)),
    bigintArray(entities.map(({ revision }) => revision)),
    booleanArray(entities.map(({ isParked }) => isParked)),
    textArray(contents.map(({ body }) => body)),
    textArray(contents.map(({ hidden }) => hidden)),
    textArray(contents.map(({ createdAt }) => createdAt)),
    textArray(contents.map(({ updatedAt }) => updatedAt)),
    textArray(contents.map(({ words }) => words)),
    textArray(contents.map(({ snapshot }) => snapshot)),
    ...projection.keys.map(({ cellOf }) => textArray(entities.map(({ state }): Cell => cellOf(state)))),
  ];
};

/** The entities among `ids` that have a row, by id. */
export const readEntities = async (
  run: RunStatement,
  table: string,
  { stateOf, snapshots }: Projection,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, Entity>> => {
  const rows = await run({
    name: `read ${table}`,
    text: `select id, place, revision, parked, body, kept, snapshot, created_at, updated_at from ${table}
      where id = any($1::uuid[])`,
    values: [uuidArray(ids)],
  });
  const entities = new Map<string, Entity>();
  for (const [id, place, rowRevision, parked, body = null, hidden = null, snapshot, ...times] of rows) {
    if (id === null || id === undefined) continue;
    const creationPosition = BigInt(place ?? 0);
    const revision = BigInt(rowRevision ?? 0);
    const row = { id, creationPosition, revision, body, hidden };
    const summary = typeof snapshot === 'string' ? snapshots?.verify(row, snapshot) : undefined;
    entities.set(id, {
      id,
      creationPosition,
      revision,
      createdAt: times[0] ?? null,
      updatedAt: times[1] ?? null,
      isParked: parked === 't',
      state: stateOf({ body: body === null ? null : partLifecycle(body).record, hidden }),
      summary,
    });
  }
  return entities;
};
