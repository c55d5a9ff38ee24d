import type { Pool } from 'pg';
import { runIn, runOn, type RunStatement, withConnection } from '../../../../src/postgres/statement.js';
import type { RowStorage, Writer } from '../../storage.js';
import { makeStatistics } from '../schema/statistics.js';
import { makeEntityRows } from './entity-rows.js';
import { makeLedgerRows } from './ledger-rows.js';

/** `open` is called with each writer, and gives what is called with the number of rows that it has written. */
const rowsBy = (pool: Pool, run: RunStatement, open: (writer: Writer) => (rows: number) => void): RowStorage => ({
  entityRows: (writer) => makeEntityRows(pool, run, writer, open(writer)),
  ledgerRows: (writer) => makeLedgerRows(run, writer, open(writer)),
});

/** Each statement on any connection of the pool. */
export const makeRowStorage = (pool: Pool): RowStorage => rowsBy(pool, runIn(pool), () => () => undefined);

/**
 * One connection for all batches: to take one from the pool for each would cost as much as half of the statement. Keeps the
 * planner's statistics of what is written.
 */
export const whileWriting = <A>(pool: Pool, work: (rows: RowStorage) => Promise<A>): Promise<A> =>
  withConnection(pool, (client) =>
    work(
      rowsBy(pool, runOn(client), ({ projection, generation }) => {
        const statistics = makeStatistics(pool, projection, generation);
        statistics.complete();
        return statistics.wrote;
      }),
    ),
  );
