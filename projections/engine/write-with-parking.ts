import { DatabaseError, type PoolClient } from 'pg';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { entityIdOf } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import { type FoldedBatch, groupByStream, type Parking } from './fold-batch.js';
import { type Instance, type Role, tableOf } from './instance/instance.js';
import type { Entity } from './rows.js';
import { inTransaction } from './schema.js';
import { type Step, type Writer, writeRows, writeStep } from './write-batch.js';

/** SQLSTATE classes that blame a value: data exceptions, broken constraints, limits such as the size of a row. */
const VALUE_CLASSES = new Set(['22', '23', '54']);

/** Whether the database refuses what was to be written, as opposed to being unable to write now. */
export const isRefusal = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && VALUE_CLASSES.has(error.code?.slice(0, 2) ?? '');

/** Runs `work` so that the transaction lives on when the database refuses a value; gives the refusal. */
export const withSavepoint = async (
  client: PoolClient,
  work: () => Promise<void>,
): Promise<DatabaseError | undefined> => {
  await client.query('savepoint attempt');
  try {
    await work();
    await client.query('release savepoint attempt');
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await client.query('rollback to savepoint attempt');
    return error;
  }
};

/** Leaves the row as it was, marked; an entity without one gets an empty row, so that it is known by its id. */
export const markParked = async (
  client: PoolClient,
  { instance }: { readonly instance: Pick<Instance, 'name'> },
  { id, place }: Pick<Entity<unknown>, 'id' | 'place'>,
): Promise<void> => {
  await client.query(
    `insert into ${tableOf(instance)} as t (id, place, revision, parked) values ($1, $2, -1, true)
     on conflict (id) do update set parked = true`,
    [id, place.toString()],
  );
};

const PARK = `
insert into read_model.parked as p (table_name, stream, revision, position, event_id, error, code_version, waiting)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (table_name, stream) do update set waiting = p.waiting + excluded.waiting`;

// a text with NUL would be refused for ever, and with it every other entity
const storable = (text: string): string => text.replaceAll('\0', '�');

/** Records what holds an entity up; what held it up before stays the reason. */
export const park = async (
  client: PoolClient,
  { instance }: { readonly instance: Pick<Instance, 'name' | 'version'> },
  { event, reason, waiting }: Parking,
): Promise<void> => {
  const place = [event.revision.toString(), event.position.toString()];
  const values = [
    instance.name,
    storable(event.stream),
    ...place,
    event.id,
    storable(reason),
    instance.version,
    waiting,
  ];
  await client.query(PARK, values);
};

type ParkedBatch = { readonly role: Role; readonly parkings: ReadonlyArray<Parking> };

/**
 * Writes a batch that holds something which cannot be projected, in one transaction: entities with an undecodable
 * event, or whose row the database refuses, are parked with the events that they hold back; all others are written.
 * Undefined, and nothing written, when the lease was lost or the checkpoint is not at `step.from`.
 */
export const writeWithParking = <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  step: Step,
  { entities, parkings }: FoldedBatch<State>,
  events: ReadonlyArray<StoredEvent>,
): Promise<ParkedBatch | undefined> =>
  inTransaction(writer.pool, async (client) => {
    const role = await writeStep(client, writer, step);
    if (role === undefined) return undefined;
    const refused = await writeOrFindRefused(client, writer, entities);
    const own = new Map([...groupByStream(events)].map(([stream, group]) => [entityIdOf(stream), group]));
    const blamed = [...refused].flatMap(([{ id }, reason]): ReadonlyArray<Parking> => {
      const [event, ...later] = own.get(id) ?? [];
      return event === undefined ? [] : [{ event, reason, waiting: later.length + 1 }];
    });
    const blamedStreams = new Set<StreamName>(blamed.map(({ event }) => event.stream));
    const all = [...parkings.filter(({ event }) => !blamedStreams.has(event.stream)), ...blamed];
    for (const entity of refused.keys()) await markParked(client, writer, entity);
    for (const parking of all) await park(client, writer, parking);
    return { role, parkings: all };
  });

/** Writes all at once, or one by one when that is refused; gives those that are refused alone, and why. */
const writeOrFindRefused = async <State, Event extends DomainEvent>(
  client: PoolClient,
  writer: Writer<State, Event>,
  entities: ReadonlyArray<Entity<State>>,
): Promise<ReadonlyMap<Entity<State>, string>> => {
  const refused = new Map<Entity<State>, string>();
  if ((await withSavepoint(client, () => writeRows(client, writer, entities))) === undefined) return refused;
  for (const entity of entities) {
    const refusal = await withSavepoint(client, () => writeRows(client, writer, [entity]));
    // the message names the rule; the detail of the error would name the value
    if (refusal !== undefined) refused.set(entity, `the row was refused: ${refusal.message}`);
  }
  return refused;
};
