import type { Entity } from '../../../projections/engine/rows/rows.js';
import type { EntityWriter, RewrittenRow } from '../../../projections/engine/storage.js';
import { entityIdOf, type From } from '../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { rejectionOf, storedRow } from './entity-row.js';
import { markParked, park, storedStream } from './parking.js';
import { noTable } from './refusal.js';
import { writableFrom } from './step.js';
import { entityContentsOf, type Tables } from './tables.js';

export const rewrite = (
  tables: Tables,
  writer: EntityWriter,
  from: From,
  { stream, entity, parking, mustBeLive = false }: RewrittenRow,
): 'Written' | 'Moved' | { readonly rejected: string } => {
  if (writableFrom(tables, writer, { from, mustBeLive }) === undefined) return 'Moved';
  const row = entity && storedRow(writer.projection, entity);
  const rejected = row && rejectionOf(row);
  if (rejected !== undefined) return { rejected };
  const { rows, parked } = entityContentsOf(tables, writer.generation.name);
  const id = entityIdOf(stream);
  parked.remove(storedStream(stream));
  rows.remove(id);
  if (row !== undefined) rows.put(id, row);
  if (parking !== undefined) {
    const { position: creationPosition } = parking.event;
    if (row === undefined && isUuid(id)) markParked(tables, writer, { id, creationPosition });
    park(tables, writer, parking);
  }
  return 'Written';
};

export const whyRejected = (
  tables: Tables,
  { projection, generation }: EntityWriter,
  entity: Entity,
): string | undefined => {
  if (!tables.instances.rows.has(generation.name)) throw noTable(generation.name);
  return rejectionOf(storedRow(projection, entity));
};
