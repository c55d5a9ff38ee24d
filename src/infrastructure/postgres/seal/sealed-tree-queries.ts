import type { Pool } from 'pg';
import { makeReadTiles } from '../../../../projections/engine/postgres/rows/tiles.js';
import { attempt, orThrow } from '../../../event-sourcing/attempt.js';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { runIn } from '../../../postgres/statement.js';
import type { SealedTree, SignedCheckpoint } from '../../../read/sealed-tree.js';
import { unavailable } from '../read-models/read-model.js';
import { readCheckpoints, readHandedOut, readLargestOf, readNewest } from './checkpoints.js';

/** Before the first process that signs there are no tables of checkpoints, and so no checkpoints. */
const unlessNone = <A>(read: () => Promise<A>): Promise<A | undefined> => unlessNoTable(read, undefined);

/** The tree of the live generation of a ledger, and the checkpoints that were signed of it. */
export const makeSealedTree = (pool: Pool, ledger: string): SealedTree => {
  const run = runIn(pool);
  const readTiles = makeReadTiles(run, { liveOf: ledger });

  async function* all(table: 'checkpoint' | 'cosigned'): AsyncGenerator<SignedCheckpoint, void> {
    if ((await unlessNone(() => readNewest(run, table))) !== undefined) yield* readCheckpoints(run, table);
  }

  return {
    // before a process of this version has signed, there is no table of those that witnesses have cosigned
    newestCheckpoint: () =>
      attempt(
        async () => (await unlessNone(() => readHandedOut(run))) ?? unlessNone(() => readNewest(run)),
        unavailable,
      ),
    cosignedOf: (origin) => attempt(() => unlessNone(() => readLargestOf(run, origin, 'cosigned')), unavailable),
    newestOf: (origin) => attempt(() => unlessNone(() => readLargestOf(run, origin)), unavailable),
    checkpoints: () => all('checkpoint'),
    cosigned: () => all('cosigned'),
    readTiles: (tiles) => attempt(async () => orThrow(await readTiles(tiles)), unavailable),
    readLeaves: (first, count) =>
      attempt(async () => {
        const text = `select encode(leaf, 'hex') from read_model.${ledger} where idx >= $1::bigint and idx < $2::bigint order by idx`;
        const values = [String(first), String(first + count)];
        const rows = await run({ name: `leaves of ${ledger}`, text, values });
        return rows.map(([leaf]) => Buffer.from(leaf ?? '', 'hex'));
      }, unavailable),
  };
};
