import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import type { LedgerSeal } from '../../../src/infrastructure/postgres/read-models/open-read-models.js';
import type { SealedTree } from '../../../src/read/sealed-tree.js';
import type { LockedTree, LockTree } from '../../../src/sealing/lock-tree.js';
import type { Way } from '../way.js';
import type { SimulatedProcess } from '../world.js';
import { called, failed, unreached } from './called.js';
import { ofPostgres } from './failures.js';

/** The tree of the ledger and its checkpoints, as a process reads them. */
export const sealedTreeBy = (way: Way, tree: SealedTree): SealedTree => ({
  newestCheckpoint: () => way.call('newest checkpoint', tree.newestCheckpoint, unreached),
  newestOf: (origin) => way.call('newest checkpoint', () => tree.newestOf(origin), unreached),
  cosignedOf: (origin) => way.call('newest cosigned', () => tree.cosignedOf(origin), unreached),
  checkpoints: () => way.pull('checkpoints', tree.checkpoints(), failed),
  cosigned: () => way.pull('cosigned', tree.cosigned(), failed),
  readTiles: (tiles) => way.call('read tiles', () => tree.readTiles(tiles), unreached),
  readLeaves: (first, count) => way.call('read leaves', () => tree.readLeaves(first, count), unreached),
});

/** How long another one that has the lock is waited for, ms. */
const LOCKED_MS = SILENCE_MS;

/**
 * A transaction, which begins, does its work and is committed, each by calls of their own. What was killed, or has waited for
 * too long, has none any more.
 */
export const lockTreeBy =
  (way: Way, { end, arrive }: SimulatedProcess, lockTree: LockTree): LockTree =>
  async <A>(work: (tree: LockedTree) => Promise<A>): Promise<A | undefined> => {
    await way.call('lock tree', () => Promise.resolve(), failed);
    let [hasBegun, isGivenUp] = [false, false];
    let committing: Promise<void> | undefined;

    const transaction = lockTree(async (tree) => {
      if (isGivenUp) throw ofPostgres('Silent');
      hasBegun = true;
      const working = work({
        size: tree.size,
        ...called(way, tree, ['readTiles', 'largestOf']),
        record: (checkpoint) => way.call('record checkpoint', () => tree.record(checkpoint), failed),
      });
      const worked = await Promise.race([working, end]);
      await new Promise<void>((commit, rollBack) => {
        const take = (): Promise<void> => {
          commit();
          return Promise.resolve();
        };
        committing = way.call('commit', take, failed);
        committing.catch(rollBack);
        end.catch(rollBack);
      });
      return worked;
    });
    const tooLong = arrive(LOCKED_MS).then(() => {
      if (hasBegun) return transaction;
      isGivenUp = true;
      throw ofPostgres('Silent');
    });
    tooLong.catch(() => undefined);
    const done = await Promise.race([transaction, tooLong]);
    await committing;
    return done;
  };

/** What is kept of a ledger's seal, as it is reached on this way. The lock of its tree is more than a call. */
export const sealBy = (
  way: Way,
  seal: Omit<LedgerSeal, 'storage'>,
  lockTree: LockTree,
): Omit<LedgerSeal, 'storage'> => ({
  ...called(way, seal, ['findNoted']),
  tree: sealedTreeBy(way, seal.tree),
  lockTree,
  notes: called(way, seal.notes, ['note', 'largestOf']),
  openCosigned: async () => {
    const cosigned = await way.call('open cosigned', seal.openCosigned, failed);
    return called(way, cosigned, ['largestOf', 'record', 'readTiles']);
  },
});
