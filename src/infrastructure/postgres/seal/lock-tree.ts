import type { Pool } from 'pg';
import { makeReadTiles } from '../../../../projections/engine/postgres/rows/tiles.js';
import { readLive } from '../../../../projections/engine/postgres/generations.js';
import { tableOf } from '../../../../projections/engine/postgres/schema/table.js';
import { runOn } from '../../../postgres/statement.js';
import { inTransaction, lockUntilCommit } from '../../../postgres/transaction.js';
import type { LockTree } from '../../../sealing/lock-tree.js';
import { readLargestOf, recordCheckpoint } from './checkpoints.js';
import { makeSealMigration } from './schema.js';

/** Any number that no other lock of the database uses. */
const SIGNING_LOCK = 7_310_485_198n;

/** The live tree of a ledger, for one process at a time. Makes the table of checkpoints where it is missing. */
export const makeLockTree = (pool: Pool, ledger: string): LockTree => {
  const migrated = makeSealMigration(pool);
  return async (work) => {
    await migrated();
    return inTransaction(pool, async (client) => {
      await lockUntilCommit(client, SIGNING_LOCK);
      const live = await readLive(client, ledger);
      if (live === undefined) return undefined;
      const run = runOn(client);
      const text = `select coalesce(max(idx) + 1, 0) from ${tableOf(live)}`;
      const [row] = await run({ name: `size of ${live.name}`, text, values: [] });
      return work({
        size: Number(row?.[0]),
        readTiles: makeReadTiles(run, { generation: live.name }),
        largestOf: (origin) => readLargestOf(run, origin),
        record: (checkpoint) => recordCheckpoint(run, checkpoint),
      });
    });
  };
};
