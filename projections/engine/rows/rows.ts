import type { Position, Revision } from '../../../src/event-sourcing/recorded-event.js';
import type { Cell, Projection, RowContent } from '../../projection.js';
import type { StreamSummary } from '../../snapshot.js';
import { bigintArray, booleanArray, textArray, uuidArray } from '../../../src/postgres/binary-array.js';
import type { RunStatement } from '../../../src/postgres/statement.js';
import { partLifecycle, withLifecycle } from '../../../src/read/record-body.js';
import { wordsOf } from '../../../src/read/words.js';
import { WRITTEN_COLUMNS } from '../generation/table.js';
import { wordsLiteral } from './words-literal.js';

/** One entity, as its row holds it. */
export type Entity = {
  readonly id: string;
  /** Opaque to the engine; of the projection's type. */
  readonly state: unknown;
  /** Revision of the last folded event; -1 before the first. */
  readonly revision: Revision;
  /** Position of its first event. */
  readonly creationPosition: Position;
  /** Times of the first and of the last event that were folded; null before the first. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** An event could not be projected; the row stays as it was before that event. */
  readonly isParked: boolean;
  /** Undefined when the state is not that of the whole stream (an event was skipped), or may not be. */
  readonly summary: StreamSummary | undefined;
};

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

/** What the log determines of a row beside id, place, revision and keys, in the text format of Postgres. */
type ShownContent = RowContent & {
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly words: string | null;
};

export const shownContentOf = (
  { contentOf, textsOf }: Projection,
  { id, state, revision, createdAt, updatedAt }: Entity,
): ShownContent => {
  const { body: record, hidden } = contentOf(id, state);
  const body =
    record === null
      ? null
      : withLifecycle(record, { createdAt: createdAt ?? '', updatedAt: updatedAt ?? '', revision });
  return { body, hidden, createdAt, updatedAt, words: wordsLiteral(wordsOf(textsOf(state))) };
};

/** What a row holds of its entity. */
type WrittenContent = ShownContent & {
  /** The text that signs the row; null when it may not stand in for the fold of its stream. */
  readonly snapshot: string | null;
};

export const writtenContentOf = (projection: Projection, entity: Entity): WrittenContent => {
  const shown = shownContentOf(projection, entity);
  const { body, hidden } = shown;
  const { id, creationPosition, revision, summary } = entity;
  const snapshot = summary && projection.snapshots?.sign({ id, creationPosition, revision, body, hidden }, summary);
  return { ...shown, snapshot: snapshot ?? null };
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
