import type { Position, Revision } from '../../../src/event-sourcing/recorded-event.js';
import type { Cell, Projection, RowContent } from '../../projection.js';
import type { StreamSummary } from '../../snapshot.js';
import { bigintArray, booleanArray, textArray, uuidArray } from '../../../src/postgres/binary-array.js';
import type { RunStatement } from '../../../src/postgres/statement.js';
import { WRITTEN_COLUMNS } from '../generation/table.js';

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
  /** Undefined when the state is not that of the whole stream (an event was skipped), or may not be. */
  readonly summary: StreamSummary | undefined;
};

const TYPES = ['uuid', 'bigint', 'bigint', 'boolean', 'text', 'text', 'text'] as const;

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
  const arrays = columns.map((_, i) => `$${first + i}::${TYPES[i] ?? 'text'}[]`);
  const values = [...WRITTEN_COLUMNS, ...keys.map(({ name, type }) => (type === 'text' ? name : `${name}::${type}`))];
  const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  return `insert into ${table} as t (${columns.join(', ')})
    select ${values.map((value) => `u.${value}`).join(', ')}
    from ${source}, unnest(${arrays.join(', ')}) u (${columns.join(', ')})
    on conflict (id) do update set ${updates.join(', ')} where t.revision <= excluded.revision`;
};

/** What a row holds of its entity. */
type WrittenContent = RowContent & {
  /** The text that signs the row; null when it may not stand in for the fold of its stream. */
  readonly snapshot: string | null;
};

export const writtenContentOf = (
  { contentOf, snapshots }: Projection,
  { id, state, creationPosition, revision, summary }: Entity,
): WrittenContent => {
  const { body, hidden } = contentOf(id, state);
  const snapshot = summary && snapshots?.sign({ id, creationPosition, revision, body, hidden }, summary);
  return { body, hidden, snapshot: snapshot ?? null };
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
    text: `select ${WRITTEN_COLUMNS.join(', ')} from ${table} where id = any($1::uuid[])`,
    values: [uuidArray(ids)],
  });
  const entities = new Map<string, Entity>();
  for (const [id, place, rowRevision, parked, body = null, hidden = null, snapshot] of rows) {
    if (id === null || id === undefined) continue;
    const creationPosition = BigInt(place ?? 0);
    const revision = BigInt(rowRevision ?? 0);
    const row = { id, creationPosition, revision, body, hidden };
    const summary = typeof snapshot === 'string' ? snapshots?.verify(row, snapshot) : undefined;
    entities.set(id, {
      id,
      creationPosition,
      revision,
      isParked: parked === 't',
      state: stateOf({ body, hidden }),
      summary,
    });
  }
  return entities;
};
