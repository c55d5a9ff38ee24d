import type { PoolClient } from 'pg';
import { commitOf, tableOf } from '../generation/generation.js';
import { comparedColumns } from '../generation/table-statements.js';
import { compare, type Comparison, type Difference } from './compare.js';
import type { Rebuilding } from './rebuilding.js';

/** What the comparison found, and the position of both in the log. */
export type Compared = Comparison & { readonly at: bigint };

export type Differences = {
  /** How many differences the result has, for showing them. */
  readonly keep: number;
  readonly onDifference: (difference: Difference) => Promise<void>;
};

/** From here on the transaction sees the database as it is at its first statement. */
const takeSnapshot = async (snapshot: PoolClient): Promise<void> => {
  await snapshot.query('begin isolation level repeatable read');
  await snapshot.query('select from read_model.instance');
};

/**
 * Compares the rebuilt rows with the live ones at the same position of the log. The writer of the live rows waits only
 * until the snapshot is taken, not for the comparison. Undefined when there are no live rows.
 */
export const compareWithLive = async (
  rebuilding: Rebuilding,
  { keep, onDifference }: Differences,
): Promise<Compared | undefined> => {
  const { pool, generation, projection } = rebuilding.writer;
  const snapshot = await pool.connect();
  let isWhole = false;
  try {
    const { live, at } = await rebuilding.whileLevel(async (_client, current) => {
      await snapshot.query('rollback');
      await takeSnapshot(snapshot);
      return { live: current, at: commitOf(rebuilding.checkpoint) };
    });
    const tables = live && { live: tableOf(live), rebuilt: tableOf(generation), ...comparedColumns(projection) };
    const compared = tables && (await compare(snapshot, tables, keep, onDifference));
    await snapshot.query('rollback');
    isWhole = true;
    return compared && { ...compared, at };
  } finally {
    snapshot.release(!isWhole);
  }
};

export const isSame = ({ onlyLive, onlyRebuilt, differing }: Comparison): boolean =>
  onlyLive + onlyRebuilt + differing === 0;
