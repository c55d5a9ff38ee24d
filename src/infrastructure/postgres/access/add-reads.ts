import type { Pool } from 'pg';
import { bigintArray, textArray } from '../../../postgres/binary-array.js';
import { isUndefinedFunction } from '../../../postgres/sql-failure.js';
import { runIn, type RunStatement } from '../../../postgres/statement.js';
import type { Read } from '../../../read/access/access-record.js';
import { migrateAccess } from './schema.js';

const ADD = 'select access.add($1, $2, $3, $4, $5, $6, $7, $8)';

/**
 * Adds rows in one statement, in turn: none comes to be before an id that somebody has read up to. Rejects where the table is
 * missing, or the role may not.
 */
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
  await run({ name: 'record reads', text: ADD, values });
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
      isMigrated = !isUndefinedFunction(error);
      throw error;
    }
  };
};
