import type { Pool, PoolClient } from 'pg';
import { isLockTimeout } from '../../../src/postgres/sql-failure.js';
import { type Generation, liveOf } from '../generation/generation.js';
import type { Differences } from '../rebuild/difference.js';
import type { ReadModelStorage, Writer } from '../storage.js';
import { compare } from './compare.js';
import { lockLive, readGenerations } from './generations.js';
import { holdsLease } from './leases.js';
import { writeBatchOfChange } from './rows/write-batch-of-change.js';
import { inSchemaTransaction, limitLockWaits } from './schema/schema.js';
import { tableOf } from './schema/table.js';
import { comparedColumns } from './schema/table-statements.js';

type Decide = Parameters<ReadModelStorage['compare']>[1];

/** From here on the transaction sees the database as it is at its first statement. */
const takeSnapshot = async (snapshot: PoolClient): Promise<void> => {
  await snapshot.query('begin isolation level repeatable read');
  await snapshot.query('select from read_model.instance');
};

/**
 * Has `snapshot` see the live rows and those of the writer at the position to which `decide` brings them. The writer of the
 * live rows waits until then, and not for the comparison.
 */
const meet = async (
  pool: Pool,
  snapshot: PoolClient,
  { projection, generation, lease }: Writer,
  decide: Decide,
): Promise<Generation | 'NoLiveRows' | undefined> => {
  try {
    return await inSchemaTransaction(pool, async (client) => {
      await limitLockWaits(client);
      await lockLive(client, projection.name);
      const generations = await readGenerations(client, projection.name);
      if (!(await holdsLease(client, lease))) return undefined;
      const live = liveOf(generations);
      if (live === undefined) return 'NoLiveRows';
      const own = generations.find(({ name }) => name === generation.name);
      const decided = own && decide(live, own);
      if (decided === undefined || !(await writeBatchOfChange(pool, decided.write))) return undefined;
      await takeSnapshot(snapshot);
      return live;
    });
  } catch (error) {
    if (isLockTimeout(error)) return undefined;
    throw error;
  }
};

/** Compares the rows of a generation with the live ones, both as they are at one moment. */
export const compareWithLive = async (
  pool: Pool,
  writer: Writer,
  decide: Decide,
  differences: Differences,
): ReturnType<ReadModelStorage['compare']> => {
  const { generation, projection } = writer;
  const snapshot = await pool.connect();
  let isWhole = false;
  try {
    const live = await meet(pool, snapshot, writer, decide);
    const compared =
      typeof live === 'object'
        ? await compare(
            snapshot,
            { live: tableOf(live), rebuilt: tableOf(generation), ...comparedColumns(projection) },
            differences,
          )
        : live;
    await snapshot.query('rollback');
    isWhole = true;
    return compared;
  } finally {
    snapshot.release(!isWhole);
  }
};
