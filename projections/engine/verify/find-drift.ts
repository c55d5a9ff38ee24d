import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import type { Projection } from '../../projection.js';
import { differingFields, type TextRow } from '../rows/differing-fields.js';
import { foldStream } from '../rows/fold-stream.js';
import type { Generation } from '../generation/generation.js';
import type { Entity } from '../rows/rows.js';
import type { Database } from '../../../src/postgres/pool.js';
import { readSight, type Sight } from './stored-row.js';

/** A row that is not what its stream makes. Names of fields, never values. */
export type Drift = {
  readonly stream: StreamName;
  readonly id: string;
  /** `missing`: the stream makes a row and there is none; `surplus`: there is a row and no stream. */
  readonly kind: 'differs' | 'missing' | 'surplus';
  /** Columns that differ; of the answer each of its fields: `body.name`. */
  readonly fields: ReadonlyArray<string>;
};

/** Where rows are verified. */
export type Verifier = {
  readonly database: Database;
  readonly store: Pick<EventStore, 'readStream'>;
  readonly projection: Projection;
  readonly generation: Pick<Generation, 'name'>;
};

const rowOf = (
  { contentOf, keys }: Projection,
  { id, creationPosition, revision, isParked, state }: Entity,
): TextRow => {
  const { body, hidden } = contentOf(id, state);
  return {
    id,
    place: creationPosition.toString(),
    revision: revision.toString(),
    parked: String(isParked),
    body,
    kept: hidden,
    ...Object.fromEntries(keys.map(({ name, cellOf }) => [name, cellOf(state)])),
  };
};

/** The row that the stream makes up to where the sight stands, and before the event that holds the entity up. */
const expectedRow = async (
  { store, projection }: Verifier,
  stream: StreamName,
  { checkpoint, parkedAt }: Sight,
): Promise<TextRow | undefined> => {
  if (checkpoint === undefined) return undefined;
  const folded = await foldStream(projection, store, stream, checkpoint, parkedAt);
  return folded && rowOf(projection, { ...folded.entity, isParked: folded.parking !== undefined });
};

/**
 * Compares the row of an entity with its stream, both as of the checkpoint that stood when the row was read: a row
 * that is merely behind the log does not differ. Undefined when they agree. Throws what log and database throw.
 */
export const findDrift = async (verifier: Verifier, id: string): Promise<Drift | undefined> => {
  const { database, generation, projection } = verifier;
  const stream: StreamName = `${projection.category}-${id}`;
  const sight = await readSight(database, generation, projection, { id, stream });
  if (sight === undefined) return undefined;
  const expected = await expectedRow(verifier, stream, sight);
  const { row } = sight;
  if (row === undefined) return expected && { stream, id, kind: 'missing', fields: [] };
  if (expected === undefined) return { stream, id, kind: 'surplus', fields: [] };
  const fields = differingFields(expected, row);
  return fields.length === 0 ? undefined : { stream, id, kind: 'differs', fields };
};
