import type { Pool } from 'pg';
import { bigintArray, textArray } from '../../../postgres/binary-array.js';
import { isUndefinedTable } from '../../../postgres/sql-failure.js';
import { runIn, type RunStatement } from '../../../postgres/statement.js';
import type { Read } from '../../../read/access/access-record.js';
import { migrateAccess } from './schema.js';

/** Any number that no other lock of the database uses: ids are handed out in the order of commits, of all processes. */
const IN_TURN = 7_310_485_201n;

// with it, nothing comes to be before an id that somebody has read up to
const INSERT = `
  with turn as materialized (select pg_advisory_xact_lock(${IN_TURN}))
  insert into access.read (at, actor, operation, entity_type, entity, what, form, request_id)
  select to_timestamp(at / 1000.0), actor, operation, entity_type, entity, what, form, request_id
  from turn, unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    with ordinality as given (at, actor, operation, entity_type, entity, what, form, request_id, ordinal)
  order by ordinal`;

/** Adds rows in one statement. Rejects where the table is missing, or the role may not. */
export const insertReads = async (run: RunStatement, reads: ReadonlyArray<Read>): Promise<void> => {
  const values = [
    bigintArray(reads.map(({ at }) => BigInt(at.getTime()))),
    textArray(reads.map(({ user }) => user)),
    textArray(reads.map(({ operation }) => operation)),
    textArray(reads.map(({ record }) => record?.entityType ?? null)),
    textArray(reads.map(({ record }) => record?.entity ?? null)),
    textArray(reads.map(({ what }) => what)),
    textArray(reads.map(({ form }) => form)),
    textArray(reads.map(({ requestId }) => requestId ?? null)),
  ];
  await run({ name: 'record reads', text: INSERT, values });
};

/** The same, which makes the table where it is missing, also when the database was replaced: then the next rows are stored. */
export const makeAddReads = (pool: Pool): ((reads: ReadonlyArray<Read>) => Promise<void>) => {
  const run = runIn(pool);
  let isMigrated = false;
  return async (reads) => {
    if (!isMigrated) await migrateAccess(pool);
    isMigrated = true;
    try {
      await insertReads(run, reads);
    } catch (error) {
      isMigrated = !isUndefinedTable(error);
      throw error;
    }
  };
};
