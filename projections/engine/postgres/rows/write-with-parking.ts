import type { DatabaseError, PoolClient } from 'pg';
import { entityIdOf, type StreamName } from '../../../../src/event-sourcing/recorded-event.js';
import { groupByStream, type Parking } from '../../rows/fold-batch.js';
import type { Generation } from '../../generation/generation.js';
import type { Entity } from '../../rows/rows.js';
import { isRejected } from '../../../../src/postgres/sql-failure.js';
import { storable } from '../../../../src/postgres/storable.js';
import { runOn } from '../../../../src/postgres/statement.js';
import type { EntityBatch, EntityRows, EntityWriter, Step } from '../../storage.js';
import { tableOf } from '../schema/table.js';
import { writeRows, writeStep } from './write-batch.js';

/** Runs `work` so that the transaction can go on when the database rejects a value; gives the rejection. */
const withSavepoint = async (client: PoolClient, work: () => Promise<void>): Promise<DatabaseError | undefined> => {
  await client.query('savepoint attempt');
  try {
    await work();
    await client.query('release savepoint attempt');
    return undefined;
  } catch (error) {
    if (!isRejected(error)) throw error;
    await client.query('rollback to savepoint attempt');
    return error;
  }
};

/**
 * Marks the row as parked and leaves it as it is. An entity without a row gets an empty one, so that its id is known.
 */
export const markParked = async (
  client: PoolClient,
  { generation }: { readonly generation: Pick<Generation, 'name'> },
  { id, creationPosition }: Pick<Entity, 'id' | 'creationPosition'>,
): Promise<void> => {
  await client.query(
    `insert into ${tableOf(generation)} as t (id, place, revision, parked) values ($1, $2, -1, true)
     on conflict (id) do update set parked = true`,
    [id, creationPosition.toString()],
  );
};

const PARK = `
insert into read_model.parked as p (table_name, stream, revision, position, event_id, error, code_version, waiting)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (table_name, stream) do update set waiting = p.waiting + excluded.waiting`;

/**
 * Records why an entity is parked, in texts that Postgres takes: a rejected one would stop all entities. When it is parked
 * already, only adds to the number of waiting events.
 */
export const park = async (
  client: PoolClient,
  { generation }: { readonly generation: Pick<Generation, 'name' | 'version'> },
  { event, reason, waiting }: Parking,
): Promise<void> => {
  const values = [
    generation.name,
    storable(event.stream),
    event.revision.toString(),
    event.position.toString(),
    event.id,
    storable(reason),
    generation.version,
    waiting,
  ];
  await client.query(PARK, values);
};

/**
 * Writes a batch of which some entities cannot be projected, in the transaction of `client`: entities with an event that cannot be
 * decoded, or whose row the database rejects, are parked; all others are written. Undefined, and nothing written, when
 * the lease was lost or the checkpoint is not at `step.from`.
 */
export const writeWithParking = async (
  client: PoolClient,
  writer: EntityWriter,
  step: Step,
  { entities, parkings, events }: EntityBatch,
): ReturnType<EntityRows['writeWithParking']> => {
  const role = await writeStep(runOn(client), writer, step);
  if (role === undefined) return undefined;
  const rejected = await writeOrFindRejected(client, writer, entities);
  const own = new Map([...groupByStream(events)].map(([stream, group]) => [entityIdOf(stream), group]));
  const blamed = [...rejected].flatMap(([{ id }, reason]): ReadonlyArray<Parking> => {
    const [event, ...later] = own.get(id) ?? [];
    return event === undefined ? [] : [{ event, reason, waiting: later.length + 1 }];
  });
  const blamedStreams = new Set<StreamName>(blamed.map(({ event }) => event.stream));
  const all = [...parkings.filter(({ event }) => !blamedStreams.has(event.stream)), ...blamed];
  for (const entity of rejected.keys()) await markParked(client, writer, entity);
  for (const parking of all) await park(client, writer, parking);
  return { role, parkings: all };
};

/** Writes all rows at once, or one by one when that is rejected. Gives the rejected entities, and why. */
const writeOrFindRejected = async (
  client: PoolClient,
  writer: EntityWriter,
  entities: ReadonlyArray<Entity>,
): Promise<ReadonlyMap<Entity, string>> => {
  const rejected = new Map<Entity, string>();
  if ((await withSavepoint(client, () => writeRows(runOn(client), writer, entities))) === undefined) return rejected;
  for (const entity of entities) {
    const rejection = await withSavepoint(client, () => writeRows(runOn(client), writer, [entity]));
    // the message of the error names the rule; its detail is left out, because it has the value
    if (rejection !== undefined) rejected.set(entity, `the row was rejected: ${rejection.message}`);
  }
  return rejected;
};
