import { either as E } from 'fp-ts';
import type { LedgerSeal } from '../../../src/infrastructure/postgres/read-models/open-read-models.js';
import type { SignedCheckpoint } from '../../../src/read/sealed-tree.js';
import type { LockedTree, LockTree } from '../../../src/sealing/lock-tree.js';
import type { InTurn } from '../../support/in-turn.js';
import { sealBy } from '../ports/seal.js';
import { type Whole, wayOf } from './whole.js';

/**
 * The work takes its time in the world, and a transaction that is open meanwhile would have others wait for it on the machine,
 * where time stands still. So each part of the work is a transaction of its own, in which what was recorded before it is there,
 * too; what is recorded stays with the last one, when the work has ended.
 */
const wholeLockTree =
  (whole: Whole, inTurn: InTurn, lockTree: LockTree): LockTree =>
  (work) =>
    inTurn(async () => {
      const recorded: Array<SignedCheckpoint> = [];
      const part = async <A>(read: (tree: LockedTree) => Promise<A>): Promise<A | undefined> => {
        const done = await whole(() =>
          lockTree(async (tree) => {
            for (const checkpoint of recorded) await tree.record(checkpoint);
            const value = { read: await read(tree) };
            // a left undoes what was recorded
            return recorded.length === 0 ? E.right(value) : E.left(value);
          }),
        );
        return done && E.toUnion(done).read;
      };
      const there = <A>(done: A | undefined): A => {
        if (done === undefined) throw new Error('the tree that was locked is gone');
        return done;
      };

      const size = await part((tree) => Promise.resolve(tree.size));
      if (size === undefined) return undefined;
      const worked = await work({
        size,
        readTiles: async (tiles) => there(await part((tree) => tree.readTiles(tiles))),
        largestOf: async (origin) => there(await part(async (tree) => ({ found: await tree.largestOf(origin) }))).found,
        record: (checkpoint) => {
          recorded.push(checkpoint);
          return Promise.resolve();
        },
      });
      if (recorded.length > 0)
        await whole(() =>
          lockTree(async (tree) => {
            for (const checkpoint of recorded) await tree.record(checkpoint);
          }),
        );
      return worked;
    });

/** What is kept of a ledger's seal, each call of which is whole; `inTurn` has the lock of the tree. */
export const wholeSeal = (
  whole: Whole,
  inTurn: InTurn,
  seal: Omit<LedgerSeal, 'storage'>,
): Omit<LedgerSeal, 'storage'> => sealBy(wayOf(whole), seal, wholeLockTree(whole, inTurn, seal.lockTree));
