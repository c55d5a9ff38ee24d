import type { Pool, PoolClient } from 'pg';
import { type Ahead, findAhead } from '../../../src/event-sourcing/ahead.js';
import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { entityIdOf, type Position, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { Projection } from '../../projection.js';
import { foldEntity, newEntity, type Parking } from '../rows/fold-batch.js';
import { foldStream, type FoldedStream } from '../rows/fold-stream.js';
import { commitOf, type Generation, tableOf } from '../generation/generation.js';
import { noLiveRows, readWritableLive } from '../generation/writable-live.js';
import { type Entity, rowArrays, upsertSql } from '../rows/rows.js';
import { inSchemaTransaction } from '../generation/schema.js';
import { withSkips } from '../parked/skips.js';
import { markParked, park, withSavepoint } from '../rows/write-with-parking.js';

/** `Parked`: an event still cannot be projected. `Ahead`: the row shows more events than its stream, and is as it was. */
export type Repaired =
  | { readonly _tag: 'Projected' }
  | ({ readonly _tag: 'Parked' } & Pick<Parking, 'event' | 'reason'>)
  | ({ readonly _tag: 'Ahead' } & Ahead);

export type RepairOptions = {
  /**
   * Whether a row that shows more events than its stream is written anew, too. Such a row is evidence that events were
   * removed from the log. Default: no.
   */
  readonly acceptsShorterHistory?: boolean;
};

type Repairing = {
  readonly store: EventStore;
  readonly projection: Projection;
  readonly generation: Generation;
  readonly client: PoolClient;
  readonly stream: StreamName;
  readonly upTo: Position;
};

/**
 * Makes this transaction the only one that writes rows, and takes the lease from a running projector, because what it
 * has read and not written yet may be outdated. Every writer first updates `read_model.instance`, so locking that table
 * waits for transactions under way. Later ones take their snapshot after the lock and see that their lease is gone.
 */
const fenceOff = async (client: PoolClient, { name }: Generation): Promise<void> => {
  await client.query(`set local lock_timeout = '5s'`);
  await client.query('lock table read_model.instance in share row exclusive mode');
  await client.query(
    `update read_model.lease set holder = 'an operator', fencing = fencing + 1, expires_at = '-infinity'
     where name = $1`,
    [name],
  );
};

const writeRow = async ({ client, projection, generation }: Repairing, entity: Entity): Promise<void> => {
  // the upsert keeps a row of a higher revision, and even the revision may be wrong: so the row is deleted first
  await client.query(`delete from ${tableOf(generation)} where id = $1`, [entity.id]);
  await client.query(upsertSql(tableOf(generation), projection.keys, 1), [...rowArrays(projection, [entity])]);
};

/** Finds the first event with which the database rejects the row, and leaves the row as it was before that event. */
const parkRejected = async (
  repairing: Repairing,
  { entity: { id, creationPosition, revision: last }, parking }: FoldedStream,
): Promise<Parking | undefined> => {
  const { client, generation, projection, store, stream, upTo } = repairing;
  await client.query(`delete from ${tableOf(generation)} where id = $1`, [id]);
  await markParked(client, repairing, { id, creationPosition });
  let entity = newEntity(projection, id, { position: creationPosition });
  for await (const page of store.readStream(stream, { direction: 'forwards' }))
    for (const event of [...page].filter(({ position, revision }) => position <= upTo && revision <= last)) {
      entity = foldEntity(projection, entity, [event]).entity;
      const rejection = await withSavepoint(client, () => writeRow(repairing, { ...entity, isParked: true }));
      if (rejection === undefined) continue;
      const waiting = Number(last - event.revision) + 1 + (parking?.waiting ?? 0);
      return { event, reason: `the row was rejected: ${rejection.message}`, waiting };
    }
  return parking;
};

const write = async (repairing: Repairing, folded: FoldedStream): Promise<Parking | undefined> => {
  const rejection = await withSavepoint(repairing.client, () => writeRow(repairing, folded.entity));
  return rejection === undefined ? folded.parking : parkRejected(repairing, folded);
};

const findRowAhead = async (
  client: PoolClient,
  store: EventStore,
  generation: Generation,
  stream: StreamName,
): Promise<Ahead | undefined> => {
  const text = `select revision from ${tableOf(generation)} where id = $1`;
  const { rows } = await client.query<{ revision: string }>(text, [entityIdOf(stream)]);
  const [row] = rows;
  return row && orThrow(await findAhead(store, stream, BigInt(row.revision)));
};

/**
 * Writes the live row of an entity anew from its stream up to the checkpoint, without the events that operators have
 * decided to skip. A projector may run meanwhile. The row of a stream without events is deleted. Throws what log and
 * database throw, and `NoLiveRows`.
 */
export const repair = async (
  pool: Pool,
  store: EventStore,
  given: Projection,
  stream: StreamName,
  { acceptsShorterHistory = false }: RepairOptions = {},
): Promise<Repaired> => {
  if (!isUuid(entityIdOf(stream))) throw noLiveRows(`no row can show ${stream}: its id is not a UUID`);
  const projection = await withSkips(store, given);
  return inSchemaTransaction(pool, async (client) => {
    const named = await readWritableLive(client, given);
    const ahead = acceptsShorterHistory ? undefined : await findRowAhead(client, store, named, stream);
    if (ahead !== undefined) return { _tag: 'Ahead', ...ahead };
    await fenceOff(client, named);
    // read again, now that it cannot change
    const generation = await readWritableLive(client, given);
    const upTo = commitOf(generation.checkpoint);
    await client.query('delete from read_model.parked where table_name = $1 and stream = $2', [
      generation.name,
      stream,
    ]);
    const folded = await foldStream(projection, store, stream, upTo);
    if (folded === undefined) {
      await client.query(`delete from ${tableOf(generation)} where id = $1`, [entityIdOf(stream)]);
      return { _tag: 'Projected' };
    }
    const parking = await write({ store, projection, generation, client, stream, upTo }, folded);
    if (parking === undefined) return { _tag: 'Projected' };
    await park(client, { generation }, parking);
    return { _tag: 'Parked', event: parking.event, reason: parking.reason };
  });
};
