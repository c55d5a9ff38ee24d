import type { PoolClient } from 'pg';
import { commitOf, tableOf } from '../generation/generation.js';
import { compare, type Comparison, type Difference } from './compare.js';
import type { Rebuilding } from './rebuilding.js';

/** What the comparison found, and the position up to which both had come. */
export type Compared = Comparison & { readonly at: bigint };

export type Differences = {
  /** How many are kept to be shown. */
  readonly keep: number;
  readonly onDifference: (difference: Difference) => Promise<void>;
};

/** A transaction sees what was there at its first statement, for as long as it lasts. */
const takeSnapshot = async (snapshot: PoolClient): Promise<void> => {
  await snapshot.query('begin isolation level repeatable read');
  await snapshot.query('select from read_model.instance');
};

/**
 * Compares the rebuilt rows with the live ones at one and the same position of the log. The live rows stand still only
 * for the moment of the snapshot, not for the comparison. Undefined when there are no live rows.
 */
export const compareWithLive = async (
  rebuilding: Rebuilding,
  { keep, onDifference }: Differences,
): Promise<Compared | undefined> => {
  const { pool, generation, projection } = rebuilding.writer;
  const snapshot = await pool.connect();
  let isWhole = false;
  try {
    const { live, at } = await rebuilding.whileLevel(async (_client, standing) => {
      await snapshot.query('rollback');
      await takeSnapshot(snapshot);
      return { live: standing, at: commitOf(rebuilding.checkpoint) };
    });
    const keys = projection.keys.map(({ name }) => name);
    const tables = live && { live: tableOf(live), rebuilt: tableOf(generation), keys };
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
