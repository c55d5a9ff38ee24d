import type { Pool } from 'pg';
import type { StreamName } from '../../../../src/event-sourcing/recorded-event.js';
import { isRejected, unlessNoTable } from '../../../../src/postgres/sql-failure.js';
import type { RunStatement } from '../../../../src/postgres/statement.js';
import { inTransaction } from '../../../../src/postgres/transaction.js';
import type { EntityRows, EntityWriter } from '../../storage.js';
import { tableOf } from '../schema/table.js';
import { readEntities, rowArrays, upsertSql } from './entity-arrays.js';
import { makeWriteBatch, writeStep } from './write-batch.js';
import { writeWithParking } from './write-with-parking.js';

/** The rows of entities; `run` runs all that is one statement, and `wrote` is called with the number of rows written. */
export const makeEntityRows = (
  pool: Pool,
  run: RunStatement,
  writer: EntityWriter,
  wrote: (rows: number) => void,
): EntityRows => {
  const { projection, generation } = writer;
  const table = tableOf(generation);
  const writeBatch = makeWriteBatch(run, writer, (first, source) => [upsertSql(table, projection.keys, first, source)]);

  return {
    step: (step) => writeStep(run, writer, step),
    prepare: (entities) => {
      const rows = rowArrays(projection, entities);
      return async (step) => {
        try {
          const role = await unlessNoTable(() => writeBatch(step, rows), undefined);
          if (role !== undefined) wrote(entities.length);
          return role;
        } catch (error) {
          if (isRejected(error)) return 'Rejected';
          throw error;
        }
      };
    },
    writeWithParking: async (step, batch) => {
      const written = await inTransaction(pool, (client) => writeWithParking(client, writer, step, batch));
      if (written !== undefined) wrote(batch.entities.length);
      return written;
    },
    read: (ids) => readEntities(run, table, projection, ids),
    parkedStreams: async (limit) => {
      const rows = await run({
        name: 'parked streams',
        text: 'select stream from read_model.parked where table_name = $1 order by position limit $2::integer',
        values: [generation.name, String(limit)],
      });
      // reason: no other texts are stored
      return rows.map(([stream]) => stream as StreamName);
    },
  };
};
