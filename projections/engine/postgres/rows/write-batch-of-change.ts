import type { Pool, PoolClient } from 'pg';
import { runOn } from '../../../../src/postgres/statement.js';
import { inTransaction } from '../../../../src/postgres/transaction.js';
import type { BatchOfChange } from '../../storage.js';
import { limitLockWaits } from '../schema/schema.js';
import { makeLedgerRows } from './ledger-rows.js';
import { writeWithParking } from './write-with-parking.js';

/** False, and nothing written, when the step cannot be written. */
const writeIn = async (client: PoolClient, change: BatchOfChange): Promise<boolean> => {
  const role =
    change.rowFor === 'entity'
      ? await writeWithParking(client, change.writer, change.step, change.batch)
      : await makeLedgerRows(runOn(client), change.writer).prepare(change.batch)(change.step);
  return role !== undefined;
};

/**
 * Writes a batch, if there is one, in a transaction of its own while another holds the live rows; false when it cannot be
 * written. A list that is copied out and waits for the view sees the database as it was before it waited, and the table of
 * which the view is by then. So what it is to show must be committed before the view changes.
 */
export const writeBatchOfChange = async (pool: Pool, batch: BatchOfChange | undefined): Promise<boolean> =>
  batch === undefined ||
  inTransaction(pool, async (client) => {
    // it cannot wait for the transaction that waits for it
    await limitLockWaits(client);
    return writeIn(client, batch);
  });
