import { type Ahead, findAhead } from '../../../src/event-sourcing/ahead.js';
import { either as E } from 'fp-ts';
import { attempt, orThrow } from '../../../src/event-sourcing/attempt.js';
import { isBeingErased } from '../../../src/event-sourcing/erasure/being-erased.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import type { Projection } from '../../projection.js';
import { differingFields, type TextRow } from '../rows/differing-fields.js';
import { foldStream } from '../rows/fold-stream.js';
import { rowOf } from '../rows/rows.js';
import type { RowSnapshot, StoredRows } from '../storage.js';

type DriftOf<Kind extends string> = {
  readonly stream: StreamName;
  readonly id: string;
  readonly kind: Kind;
  /** Columns that differ; of the column `body` the fields of its JSON object: `body.name`. */
  readonly fields: ReadonlyArray<string>;
};

/**
 * A row that differs from what its stream makes. Has names of fields, never values. `missing`: there is a stream and no
 * row; `surplus`: there is a row, and no event of its stream up to the checkpoint; `ahead`: the row shows more events
 * than its stream holds, so events were removed from the log.
 */
export type Drift = DriftOf<'differs' | 'missing' | 'surplus'> | (DriftOf<'ahead'> & Ahead);

/** What rows are verified with. */
export type Verifier = {
  readonly rows: StoredRows;
  readonly store: Pick<EventStore, 'readStream' | 'newestRevision'>;
  readonly projection: Projection;
};

/** The row that the stream makes up to the snapshot's checkpoint, or before the event at which the entity is parked. */
const expectedRow = async (
  { store, projection }: Verifier,
  stream: StreamName,
  { checkpoint, parkedAt }: RowSnapshot,
): Promise<TextRow | undefined> => {
  if (checkpoint === undefined) return undefined;
  const folded = await foldStream(projection, store, stream, checkpoint, parkedAt);
  return folded && rowOf(projection, { ...folded.entity, isParked: folded.parking !== undefined });
};

const differenceOf = async (verifier: Verifier, id: string, snapshot: RowSnapshot): Promise<Drift | undefined> => {
  const stream: StreamName = `${verifier.projection.category}-${id}`;
  const expected = await expectedRow(verifier, stream, snapshot);
  const { row } = snapshot;
  if (row === undefined) return expected && { stream, id, kind: 'missing', fields: [] };
  if (expected?.['revision'] !== row['revision']) {
    const ahead = orThrow(await findAhead(verifier.store, stream, BigInt(row['revision'] ?? 0)));
    if (ahead !== undefined) return { stream, id, kind: 'ahead', fields: [], ...ahead };
  }
  if (expected === undefined) return { stream, id, kind: 'surplus', fields: [] };
  const fields = differingFields(expected, row);
  return fields.length === 0 ? undefined : { stream, id, kind: 'differs', fields };
};

/** While an entity is being erased its row is as it was: what is recorded in the end changes it. */
const driftOf = async (verifier: Verifier, id: string, snapshot: RowSnapshot): Promise<Drift | undefined> => {
  const drift = await differenceOf(verifier, id, snapshot);
  const { checkpoint } = snapshot;
  if (drift === undefined || drift.kind === 'ahead' || checkpoint === undefined) return drift;
  return (await isBeingErased(verifier.store, drift.stream, checkpoint)) ? undefined : drift;
};

/**
 * Compares the rows of entities with their streams, up to the checkpoint of the moment when the rows were read: a row that
 * is merely behind the log does not differ. Undefined in the place of an id where both are the same. Left is what
 * its stream could not be read for: the others are compared all the same. Throws what the database throws.
 */
export const findDrifts = async (
  verifier: Verifier,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<E.Either<unknown, Drift | undefined>>> => {
  const snapshots = await verifier.rows.snapshots(ids);
  return Promise.all(
    ids.map((id, index) => {
      const snapshot = snapshots?.[index];
      return attempt(
        () => (snapshot === undefined ? Promise.resolve(undefined) : driftOf(verifier, id, snapshot)),
        (cause) => cause,
      );
    }),
  );
};

/** The same of one. Throws what log and database throw. */
export const findDrift = async (verifier: Verifier, id: string): Promise<Drift | undefined> => {
  const [found] = await findDrifts(verifier, [id]);
  if (found === undefined || E.isRight(found)) return found?.right;
  throw found.left;
};
