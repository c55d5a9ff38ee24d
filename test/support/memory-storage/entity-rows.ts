import type { Role } from '../../../projections/engine/generation/generation.js';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import { groupByStream, type Parking } from '../../../projections/engine/rows/fold-batch.js';
import type { EntityBatch, EntityRows, EntityWriter, Step } from '../../../projections/engine/storage.js';
import { entityIdOf } from '../../../src/event-sourcing/recorded-event.js';
import { entityOf, rejectionOf, storedRow } from './entity-row.js';
import { markParked, park, parkedStreamsOf } from './parking.js';
import { moveCheckpoint } from './step.js';
import { atOnce, entityContentsOf, type Tables } from './tables.js';

const revisionOf = (row: TextRow): bigint => BigInt(row['revision'] ?? -1);

/** Writes a row, unless the one that is there has a higher revision. */
const upsert = (tables: Tables, { generation }: EntityWriter, row: TextRow): void => {
  const { rows } = entityContentsOf(tables, generation.name);
  const id = row['id'] ?? '';
  const before = rows.rows.get(id);
  if (before === undefined || revisionOf(before) <= revisionOf(row)) rows.put(id, row);
};

/** The events of an entity whose row was rejected: the first of them is to blame. */
const blame = (own: EntityBatch['events'], rejection: string): ReadonlyArray<Parking> => {
  const [event] = own;
  if (event === undefined) return [];
  return [{ event, reason: `the row was rejected: ${rejection}`, waiting: own.length }];
};

export const writeWithParking = (
  tables: Tables,
  writer: EntityWriter,
  step: Step,
  { entities, parkings, events }: EntityBatch,
): { readonly role: Role; readonly parkings: ReadonlyArray<Parking> } | undefined => {
  const role = moveCheckpoint(tables, writer, step);
  if (role === undefined) return undefined;
  const own = new Map([...groupByStream(events)].map(([stream, group]) => [entityIdOf(stream), group]));
  const blamed: Array<Parking> = [];
  for (const entity of entities) {
    const row = storedRow(writer.projection, entity);
    const rejection = rejectionOf(row);
    if (rejection === undefined) upsert(tables, writer, row);
    else {
      markParked(tables, writer, entity);
      blamed.push(...blame(own.get(entity.id) ?? [], rejection));
    }
  }
  const streams = new Set(blamed.map(({ event }) => event.stream));
  const all = [...parkings.filter(({ event }) => !streams.has(event.stream)), ...blamed];
  for (const parking of all) park(tables, writer, parking);
  return { role, parkings: all };
};

export const makeEntityRows = (tables: Tables, writer: EntityWriter): EntityRows => {
  const { projection, generation } = writer;
  return {
    step: atOnce(tables, (step) => moveCheckpoint(tables, writer, step)),
    prepare: (entities) => {
      const rows = entities.map((entity) => storedRow(projection, entity));
      const isRejected = rows.some((row) => rejectionOf(row) !== undefined);
      return atOnce(tables, (step: Step) => {
        if (isRejected && tables.instances.rows.has(generation.name)) return 'Rejected';
        const role = moveCheckpoint(tables, writer, step);
        if (role !== undefined) for (const row of rows) upsert(tables, writer, row);
        return role;
      });
    },
    writeWithParking: atOnce(tables, (step, batch) => writeWithParking(tables, writer, step, batch)),
    read: atOnce(tables, (ids) => {
      const { rows } = entityContentsOf(tables, generation.name).rows;
      return new Map(
        ids.flatMap((id) => {
          const row = rows.get(id);
          return row === undefined ? [] : [[id, entityOf(projection, id, row)] as const];
        }),
      );
    }),
    parkedStreams: atOnce(tables, (limit) => parkedStreamsOf(tables, generation.name, limit)),
  };
};
