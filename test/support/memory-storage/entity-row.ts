import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import { type Entity, rowOf, writtenContentOf } from '../../../projections/engine/rows/rows.js';
import type { Projection } from '../../../projections/projection.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { storable } from '../../../src/postgres/storable.js';
import { partLifecycle } from '../../../src/read/record-body.js';
import { NUL_REJECTED } from './refusal.js';
import { shownArray, wellFormed } from './stored-text.js';

/** The row of an entity as it is stored, with the column `snapshot`, which signs it. */
export const storedRow = (projection: Projection, entity: Entity): TextRow => {
  const isSigned = projection.snapshots !== undefined && entity.summary !== undefined;
  const snapshot = isSigned ? writtenContentOf(projection, entity).snapshot : null;
  return Object.fromEntries(
    Object.entries({ ...rowOf(projection, entity), snapshot }).map(([column, text]) => [
      column,
      text === null ? null : wellFormed(text),
    ]),
  );
};

/** Why the database does not take a row; undefined where it does. */
export const rejectionOf = (row: TextRow): string | undefined => {
  const id = row['id'] ?? '';
  if (!isUuid(id)) return `invalid input syntax for type uuid: "${id}"`;
  const isStorable = Object.values(row).every((text) => text === null || storable(text) === text);
  return isStorable ? undefined : NUL_REJECTED;
};

/** The columns that the log determines: all but the one that signs the row. */
export const comparedRow = ({ snapshot: _, ...row }: TextRow): TextRow => row;

/** The same without the id, as Postgres shows them. */
export const shownRow = ({ keys }: Pick<Projection, 'keys'>, row: TextRow): TextRow => {
  const { id: _, ...columns } = comparedRow(row);
  const arrays = keys
    .filter(({ type }) => type === 'text[]')
    .map(({ name }): readonly [string, string | null] => {
      const literal = columns[name] ?? null;
      return [name, literal === null ? null : shownArray(literal)];
    });
  return { ...columns, ...Object.fromEntries(arrays) };
};

export const entityOf = ({ stateOf, snapshots }: Projection, id: string, row: TextRow): Entity => {
  const creationPosition = BigInt(row['place'] ?? 0);
  const revision = BigInt(row['revision'] ?? 0);
  const [body, hidden, snapshot] = [row['body'] ?? null, row['kept'] ?? null, row['snapshot'] ?? null];
  const signed = { id, creationPosition, revision, body, hidden };
  return {
    id,
    creationPosition,
    revision,
    createdAt: row['created_at'] ?? null,
    updatedAt: row['updated_at'] ?? null,
    isParked: row['parked'] === 'true',
    state: stateOf({ body: body === null ? null : partLifecycle(body).record, hidden }),
    summary: snapshot === null ? undefined : snapshots?.verify(signed, snapshot),
  };
};

/** The row of an entity of which nothing could be stored. */
export const emptyRow = (
  { keys }: Pick<Projection, 'keys'>,
  { id, creationPosition }: Pick<Entity, 'id' | 'creationPosition'>,
): TextRow => ({
  id,
  place: creationPosition.toString(),
  revision: '-1',
  parked: 'true',
  body: null,
  kept: null,
  created_at: null,
  updated_at: null,
  words: null,
  ...Object.fromEntries(keys.map(({ name }) => [name, null])),
  snapshot: null,
});
