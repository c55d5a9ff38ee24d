import type { Pool } from 'pg';
import { makeReadTiles } from '../../../../projections/engine/postgres/rows/tiles.js';
import { runIn } from '../../../postgres/statement.js';
import type { SignedCheckpoint } from '../../../read/sealed-tree.js';
import type { ReadTiles } from '../../../seal/read-tiles.js';
import { readLargestOf, recordKept } from './checkpoints.js';
import { migrateSeal } from './schema.js';

export type Cosigned = {
  /** The largest cosigned checkpoint of an origin. */
  readonly largestOf: (origin: string) => Promise<SignedCheckpoint | undefined>;
  /** Rejects also where Postgres has not kept it. */
  readonly record: (checkpoint: SignedCheckpoint) => Promise<void>;
  /** The live tree of the ledger. */
  readonly readTiles: ReadTiles<never>;
};

/** The checkpoints that witnesses have cosigned. Makes their table where it is missing; rejects with what the database throws. */
export const makeCosigned = async (pool: Pool, ledger: string): Promise<Cosigned> => {
  await migrateSeal(pool);
  const run = runIn(pool);
  return {
    largestOf: (origin) => readLargestOf(run, origin, 'cosigned'),
    record: (checkpoint) => recordKept(run, checkpoint, 'cosigned'),
    readTiles: makeReadTiles(run, { liveOf: ledger }),
  };
};
