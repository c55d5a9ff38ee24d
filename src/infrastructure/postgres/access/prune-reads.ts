import type { Pool } from 'pg';
import { runOn } from '../../../postgres/statement.js';
import { inTransaction } from '../../../postgres/transaction.js';
import type { Read } from '../../../read/access/access-record.js';
import { insertReads } from './add-reads.js';
import { migrateAccess } from './schema.js';
import { LATE, lastBefore } from './time-bounds.js';

/** Rows that are removed in one transaction: while it lasts, no read can be recorded. */
const BATCH = 10_000;

/** Longer than any other statement holds the table. */
const LOCK_TIMEOUT = '5s';

const REMOVE = `
  delete from access.read where id in (
    (select id from access.read where at < $1::timestamptz and id <= ${lastBefore('$1')} order by id limit $2)
    union all
    (select id from access.read where at < $1::timestamptz and id > ${lastBefore('$1')} and ${LATE} order by id limit $2)
  )`;

/**
 * Removes the rows of reads before a time, and gives their number. `row` says so in the record itself, before the first of
 * them is removed. Lifts the guard of the table within each transaction, which nobody else sees; rejects where the role does
 * not own the table, and then has changed nothing. `row` must not be of a time that is pruned.
 */
export const pruneReads = async (pool: Pool, before: Date, row: Read, batch = BATCH): Promise<number> => {
  await migrateAccess(pool);
  let removed = 0;
  for (let isFirst = true; ; isFirst = false) {
    const count = await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      // before the table is locked, as by who adds rows: the other way round each of them could wait for the other
      if (isFirst) await insertReads(runOn(client), [row]);
      await client.query('alter table access.read disable trigger never_changed');
      const { rowCount } = await client.query(REMOVE, [before.toISOString(), batch]);
      await client.query('alter table access.read enable always trigger never_changed');
      return rowCount ?? 0;
    });
    removed += count;
    if (count < batch) return removed;
  }
};
