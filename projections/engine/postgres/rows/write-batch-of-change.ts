import type { PoolClient } from 'pg';
import { runOn } from '../../../../src/postgres/statement.js';
import type { BatchOfChange } from '../../storage.js';
import { makeLedgerRows } from './ledger-rows.js';
import { writeWithParking } from './write-with-parking.js';

/** Writes a batch in the transaction of `client`; false, and the transaction is to be undone, when it cannot be written. */
export const writeBatchOfChange = async (client: PoolClient, change: BatchOfChange): Promise<boolean> => {
  const role =
    change.rowFor === 'entity'
      ? await writeWithParking(client, change.writer, change.step, change.batch)
      : await makeLedgerRows(runOn(client), change.writer).prepare(change.batch)(change.step);
  return role !== undefined;
};
