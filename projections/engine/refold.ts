import type { Pool, PoolClient } from 'pg';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { entityIdOf, type Position, type StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import { isUuid } from '../../src/event-sourcing/uuid.js';
import type { Projection } from '../projection.js';
import { foldEntity, newEntity, type Parking } from './fold-batch.js';
import { foldStream, type FoldedStream } from './fold-stream.js';
import { type Instance, tableOf } from './instance/instance.js';
import { NoLiveRows, readWritableLive } from './instance/live-instance.js';
import { type Entity, rowArrays, upsertSql } from './rows.js';
import { inTransaction, lockSchema } from './schema.js';
import { withSkips } from './parked/skips.js';
import { markParked, park, withSavepoint } from './write-with-parking.js';

/** What became of an entity: `Parked` when an event still cannot be projected. */
export type Refolded =
  { readonly _tag: 'Projected' } | ({ readonly _tag: 'Parked' } & Pick<Parking, 'event' | 'reason'>);

type Refolding<State, Event extends DomainEvent> = {
  readonly store: EventStore;
  readonly projection: Projection<State, Event>;
  readonly instance: Instance;
  readonly client: PoolClient;
  readonly stream: StreamName;
  readonly upTo: Position;
};

/**
 * Makes this transaction the only one that writes rows, and has a projector that is at work begin anew afterwards: what
 * it has read and not yet written may be out of date. Every writer changes `instance` first, so its table lock waits
 * for those under way; those that come later see, in a snapshot taken after the lock, that their lease is gone.
 */
const fenceOff = async (client: PoolClient, { name }: Instance): Promise<void> => {
  await client.query(`set local lock_timeout = '5s'`);
  await client.query('lock table read_model.instance in share row exclusive mode');
  await client.query(
    `update read_model.lease set holder = 'an operator', fencing = fencing + 1, expires_at = '-infinity'
     where name = $1`,
    [name],
  );
};

const writeRow = async <State, Event extends DomainEvent>(
  { client, projection, instance }: Refolding<State, Event>,
  entity: Entity<State>,
): Promise<void> => {
  // whatever the row says now, even of its revision, may be wrong
  await client.query(`delete from ${tableOf(instance)} where id = $1`, [entity.id]);
  await client.query(upsertSql(tableOf(instance), projection.keys, 1), [...rowArrays(projection, [entity])]);
};

/** Finds the first event with which the database refuses the row, and leaves the row as it was before that event. */
const parkRefused = async <State, Event extends DomainEvent>(
  refolding: Refolding<State, Event>,
  { entity: { id, place, revision: last }, parking }: FoldedStream<State>,
): Promise<Parking | undefined> => {
  const { client, instance, projection, store, stream, upTo } = refolding;
  await client.query(`delete from ${tableOf(instance)} where id = $1`, [id]);
  await markParked(client, refolding, { id, place });
  let entity = newEntity(projection, id, { position: place });
  for await (const page of store.readStream(stream, { direction: 'forwards' }))
    for (const event of page.filter(({ position, revision }) => position <= upTo && revision <= last)) {
      entity = foldEntity(projection, entity, [event]).entity;
      const refusal = await withSavepoint(client, () => writeRow(refolding, { ...entity, isParked: true }));
      if (refusal === undefined) continue;
      const waiting = Number(last - event.revision) + 1 + (parking?.waiting ?? 0);
      return { event, reason: `the row was refused: ${refusal.message}`, waiting };
    }
  return parking;
};

const write = async <State, Event extends DomainEvent>(
  refolding: Refolding<State, Event>,
  folded: FoldedStream<State>,
): Promise<Parking | undefined> => {
  const refusal = await withSavepoint(refolding.client, () => writeRow(refolding, folded.entity));
  return refusal === undefined ? folded.parking : parkRefused(refolding, folded);
};

/**
 * Writes the live row of an entity anew from its stream, beside a projector that runs: afterwards it is what the
 * stream up to the checkpoint makes, with what operators have decided to skip. A stream without events loses its row.
 * Throws what log and database throw, and `NoLiveRows`.
 */
export const refold = async <State, Event extends DomainEvent>(
  pool: Pool,
  store: EventStore,
  given: Projection<State, Event>,
  stream: StreamName,
): Promise<Refolded> => {
  if (!isUuid(entityIdOf(stream))) throw new NoLiveRows(`no row can show ${stream}: its id is not a UUID`);
  const projection = await withSkips(store, given);
  return inTransaction(pool, async (client) => {
    await lockSchema(client);
    const named = await readWritableLive(client, given);
    await fenceOff(client, named);
    // read again, now that it stands still
    const instance = await readWritableLive(client, given);
    const upTo = instance.checkpoint === 'start' ? -1n : instance.checkpoint.commit;
    await client.query('delete from read_model.parked where table_name = $1 and stream = $2', [instance.name, stream]);
    const folded = await foldStream(projection, store, stream, upTo);
    if (folded === undefined) {
      await client.query(`delete from ${tableOf(instance)} where id = $1`, [entityIdOf(stream)]);
      return { _tag: 'Projected' };
    }
    const parking = await write({ store, projection, instance, client, stream, upTo }, folded);
    if (parking === undefined) return { _tag: 'Projected' };
    await park(client, { instance }, parking);
    return { _tag: 'Parked', event: parking.event, reason: parking.reason };
  });
};
