import type { EntityWriter } from '../../../projections/engine/storage.js';
import type { Parked } from '../../../projections/engine/parked/parked.js';
import type { Parking } from '../../../projections/engine/rows/fold-batch.js';
import type { Entity } from '../../../projections/engine/rows/rows.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { storable } from '../../../src/postgres/storable.js';
import { emptyRow } from './entity-row.js';
import { liveInstances } from './generations.js';
import { NUL_REJECTED, refusal } from './refusal.js';
import { wellFormed } from './stored-text.js';
import { entityContentsOf, type ParkedRow, type Tables } from './tables.js';

const stored = (text: string): string => wellFormed(storable(text));

// reason: the dash stays where it is
export const storedStream = (stream: StreamName): StreamName => stored(stream) as StreamName;

/** Marks the row and leaves it as it is. An entity without a row gets an empty one. */
export const markParked = (
  tables: Tables,
  { projection, generation }: EntityWriter,
  entity: Pick<Entity, 'id' | 'creationPosition'>,
): void => {
  const { rows } = entityContentsOf(tables, generation.name);
  const before = rows.rows.get(entity.id);
  rows.put(entity.id, before === undefined ? emptyRow(projection, entity) : { ...before, parked: 'true' });
};

/** Records why an entity is parked. When it is parked already, only adds to the number of waiting events. */
export const park = (
  tables: Tables,
  { generation: { name, version } }: EntityWriter,
  { event, reason, waiting }: Parking,
): void => {
  const { parked } = entityContentsOf(tables, name);
  const stream = storedStream(event.stream);
  const { revision, position, id: eventId } = event;
  const first: ParkedRow = {
    stream,
    revision,
    position,
    eventId,
    error: stored(reason),
    codeVersion: version,
    waiting: 0,
    since: new Date(tables.now()),
  };
  const before = parked.rows.get(stream) ?? first;
  parked.put(stream, { ...before, waiting: before.waiting + waiting });
};

const byPosition = (one: ParkedRow, other: ParkedRow): number => Number(one.position - other.position);

export const parkedStreamsOf = ({ instances }: Tables, name: string, limit: number): ReadonlyArray<StreamName> => {
  const contents = instances.rows.get(name)?.contents;
  if (contents?.rowFor !== 'entity') return [];
  return [...contents.parked.rows.values()]
    .toSorted(byPosition)
    .slice(0, limit)
    .map(({ stream }) => stream);
};

const parkedIn = (tables: Tables): ReadonlyArray<Parked> =>
  liveInstances(tables).flatMap(({ projection, contents }) =>
    contents.rowFor === 'entity' ? [...contents.parked.rows.values()].map((row) => ({ projection, ...row })) : [],
  );

export const countParked = (tables: Tables): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { projection } of parkedIn(tables)) counts[projection] = (counts[projection] ?? 0) + 1;
  return counts;
};

export const listParked = (tables: Tables, limit: number): ReadonlyArray<Parked> =>
  parkedIn(tables)
    .toSorted(byPosition)
    .toSorted((one, other) => one.since.getTime() - other.since.getTime())
    .slice(0, limit);

export const findParked = (tables: Tables, stream: StreamName): Parked | undefined => {
  if (stream.includes('\0')) throw refusal('22021', NUL_REJECTED);
  return parkedIn(tables).find((parked) => parked.stream === storedStream(stream));
};
