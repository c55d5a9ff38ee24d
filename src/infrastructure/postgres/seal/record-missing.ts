import type { Pool } from 'pg';
import { runIn } from '../../../postgres/statement.js';
import type { SignedCheckpoint } from '../../../read/sealed-tree.js';
import { readLargestOf, recordKept } from './checkpoints.js';
import { migrateSeal } from './schema.js';

/**
 * Records checkpoints of an earlier database, which come by origin and from the smallest to the largest: those that are
 * not there yet. Makes their table where it is missing. Rejects with what the database throws.
 */
export const makeRecordMissing = async (pool: Pool): Promise<(checkpoint: SignedCheckpoint) => Promise<void>> => {
  await migrateSeal(pool);
  const run = runIn(pool);
  const largest = new Map<string, number>();
  return async (checkpoint) => {
    const { origin, size } = checkpoint;
    const known = largest.get(origin) ?? (await readLargestOf(run, origin))?.size ?? -1;
    if (size > known) await recordKept(run, checkpoint, 'checkpoint');
    largest.set(origin, Math.max(size, known));
  };
};
