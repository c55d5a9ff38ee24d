import type { Pool } from 'pg';
import { textArray } from '../../../postgres/binary-array.js';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { runIn } from '../../../postgres/statement.js';
import type { Read } from '../../../read/access/access-record.js';

/** Who has read records, how often, and when last. */
export type Reader = { readonly user: string; readonly reads: number; readonly last: Date };

/** Those who read last come first. */
const FIND = `select actor, count(*), extract(epoch from max(at)) * 1000
  from access.read join unnest($1::text[], $2::text[]) as record (entity_type, entity) using (entity_type, entity)
  group by actor order by max(at) desc, actor limit $3`;

/**
 * At most `limit` of those who have read one of these records by itself, as the record of reads has it: nobody where its table
 * is not made. Who was given them among others, in an export or a feed, is not among them.
 */
export const findReaders = async (
  pool: Pool,
  records: ReadonlyArray<NonNullable<Read['record']>>,
  limit: number,
): Promise<ReadonlyArray<Reader>> => {
  const values = [
    textArray(records.map(({ entityType }) => entityType)),
    textArray(records.map(({ entity }) => entity)),
    String(limit),
  ];
  const rows = await unlessNoTable(() => runIn(pool)({ name: '', text: FIND, values }), []);
  return rows.map(([user, reads, last]) => ({
    user: user ?? '',
    reads: Number(reads),
    last: new Date(Math.floor(Number(last))),
  }));
};
