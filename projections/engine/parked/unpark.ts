import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { type Checkpoint, entityIdOf, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { foldStream } from '../rows/fold-stream.js';
import type { OnEngineEvent } from '../engine-event.js';
import type { Entity } from '../rows/rows.js';
import { runOn } from '../../../src/postgres/statement.js';
import { inTransaction } from '../../../src/postgres/transaction.js';
import { type EntityWriter, writeRows, writeStep } from '../rows/write-batch.js';
import { isRejected } from '../../../src/postgres/sql-failure.js';

/** Parked entities that are tried at one start, so that it does not take longer the more are parked. */
const TRIED_AT_ONCE = 1_000;

const PARKED = 'select stream from read_model.parked where table_name = $1 order by position limit $2';

/** Writes the row and unparks the entity. False when the database rejects the row, or the lease was lost. */
const restore = async (
  writer: EntityWriter,
  checkpoint: Checkpoint,
  stream: StreamName,
  entity: Entity,
): Promise<boolean> => {
  try {
    return await inTransaction(writer.pool, async (client) => {
      // this step moves nothing: it checks that the lease is still held
      const run = runOn(client);
      if ((await writeStep(run, writer, { from: checkpoint, to: checkpoint, last: undefined })) === undefined)
        return false;
      await writeRows(run, writer, [entity]);
      const text = 'delete from read_model.parked where table_name = $1 and stream = $2';
      await client.query(text, [writer.generation.name, stream]);
      return true;
    });
  } catch (error) {
    if (isRejected(error)) return false;
    throw error;
  }
};

/**
 * Tries parked entities again, because this program may be a newer one: those that can be projected now get the row
 * that their stream makes up to the checkpoint. Call it before anything moves the checkpoint.
 */
export const unpark = async (
  writer: EntityWriter,
  store: EventStore,
  checkpoint: Checkpoint,
  onEvent: OnEngineEvent,
): Promise<void> => {
  const { pool, generation, projection } = writer;
  const { rows } = await pool.query<{ stream: StreamName }>(PARKED, [generation.name, TRIED_AT_ONCE]);
  for (const { stream } of rows.filter((row) => isUuid(entityIdOf(row.stream)))) {
    const folded = await foldStream(projection, store, stream, checkpoint.commit);
    if (folded === undefined || folded.parking !== undefined) continue;
    if (await restore(writer, checkpoint, stream, folded.entity))
      onEvent({ _tag: 'Unparked', projection: projection.name, stream });
  }
};
