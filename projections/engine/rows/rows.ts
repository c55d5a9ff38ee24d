import type { Position, Revision } from '../../../src/event-sourcing/recorded-event.js';
import type { Cell, Projection } from '../../projection.js';
import { bigintArray, booleanArray, textArray, uuidArray } from '../../../src/postgres/binary-array.js';
import type { RunStatement } from '../../../src/postgres/statement.js';
import { BASE_COLUMNS } from '../generation/table.js';

/** One entity, as its row holds it. */
export type Entity = {
  readonly id: string;
  /** Opaque to the engine; of the projection's type. */
  readonly state: unknown;
  /** Revision of the last folded event; -1 before the first. */
  readonly revision: Revision;
  /** Position of its first event. */
  readonly creationPosition: Position;
  /** An event could not be projected; the row stays as it was before that event. */
  readonly isParked: boolean;
};

const TYPES = ['uuid', 'bigint', 'bigint', 'boolean', 'text', 'text'] as const;

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
  const columns = [...BASE_COLUMNS, ...keys.map(({ name }) => name)];
  const arrays = columns.map((_, i) => `$${first + i}::${TYPES[i] ?? 'text'}[]`);
  const values = [...BASE_COLUMNS, ...keys.map(({ name, type }) => (type === 'text' ? name : `${name}::${type}`))];
  const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  return `insert into ${table} as t (${columns.join(', ')})
    select ${values.map((value) => `u.${value}`).join(', ')}
    from ${source}, unnest(${arrays.join(', ')}) u (${columns.join(', ')})
    on conflict (id) do update set ${updates.join(', ')} where t.revision <= excluded.revision`;
};

/** The arrays that `upsertSql` binds. */
export const rowArrays = ({ keys, contentOf }: Projection, entities: ReadonlyArray<Entity>): Array<Buffer> => {
  const contents = entities.map(({ id, state }) => contentOf(id, state));
  return [
    uuidArray(entities.map(({ id }) => id)),
    bigintArray(entities.map(({ creationPosition }) => creationPosition)),
    bigintArray(entities.map(({ revision }) => revision)),
    booleanArray(entities.map(({ isParked }) => isParked)),
    textArray(contents.map(({ body }) => body)),
    textArray(contents.map(({ hidden }) => hidden)),
    ...keys.map(({ cellOf }) => textArray(entities.map(({ state }): Cell => cellOf(state)))),
  ];
};

/** The entities among `ids` that have a row, by id. */
export const readEntities = async (
  run: RunStatement,
  table: string,
  { stateOf }: Projection,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, Entity>> => {
  const rows = await run({
    name: `read ${table}`,
    text: `select ${BASE_COLUMNS.join(', ')} from ${table} where id = any($1::uuid[])`,
    values: [uuidArray(ids)],
  });
  const entities = new Map<string, Entity>();
  for (const [id, place, revision, parked, body, hidden] of rows) {
    if (id === null || id === undefined) continue;
    entities.set(id, {
      id,
      creationPosition: BigInt(place ?? 0),
      revision: BigInt(revision ?? 0),
      isParked: parked === 't',
      state: stateOf({ body: body ?? null, hidden: hidden ?? null }),
    });
  }
  return entities;
};
