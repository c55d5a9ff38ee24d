import { either as E } from 'fp-ts';
import { makeBoundedCache } from '../event-sourcing/bounded-cache.js';
import type { Checkpoint } from '../seal/checkpoint.js';
import { eventLeaf } from '../seal/event-leaf.js';
import { type Hash, leafHash } from '../seal/hash.js';
import { proveInclusion } from '../seal/proofs.js';
import { renderTlogProof } from '../seal/tlog-proof.js';
import { verifyInclusion } from '../seal/verify-proofs.js';
import { cachedTiles } from './cached-tiles.js';
import { CannotPack } from './cannot-pack.js';
import type { PackSources } from './pack-sources.js';
import type { IndexedEvent } from './packed-event.js';

/** Proofs of places in the tree of one checkpoint. They reject with `CannotPack`. */
export type Places = {
  /** The text of the proof of a place. */
  readonly proof: (index: number) => Promise<string>;
  /** The same, after it was found to lead from this event, which has this hash, to the checkpoint. */
  readonly verifiedProof: (indexed: IndexedEvent, hash: string) => Promise<string>;
};

/** Of one to two kilobytes each. */
const PROOFS = 5_000;

export const makePlaces = (
  { size, root }: Checkpoint,
  { checkpoint, readTiles }: Pick<PackSources, 'checkpoint' | 'readTiles'>,
): Places => {
  const readCached = cachedTiles(readTiles);

  const pathOf = async (index: number): Promise<ReadonlyArray<Hash>> => {
    const path = await proveInclusion(index, size, readCached);
    if (E.isRight(path)) return path.right;
    const { left } = path;
    if (left._tag === 'NotInTree')
      throw new CannotPack(`place ${index} is beyond the ${size} events of the checkpoint`);
    if (left._tag === 'TileIncomplete')
      throw new CannotPack('a tile of the tree is missing: "ops log verify" says what is wrong with it');
    throw new CannotPack('the tree cannot be read', 'cause' in left ? left.cause : undefined);
  };

  // to compute a proof again takes some hundred hashes
  const known = makeBoundedCache<number, string>(PROOFS);
  const render = (index: number, hashes: ReadonlyArray<Hash>): string => {
    const proof = renderTlogProof({ index, hashes, checkpoint });
    known.set(index, proof);
    return proof;
  };

  return {
    proof: async (index) => known.get(index) ?? render(index, await pathOf(index)),
    verifiedProof: async ({ index, event }, hash) => {
      const hashes = await pathOf(index);
      if (verifyInclusion(leafHash(eventLeaf(event, hash)), index, { size, root }, hashes))
        return render(index, hashes);
      const { stream, revision } = event;
      throw new CannotPack(
        `${stream}, revision ${revision}, is not what was sealed at place ${index}: "ops log verify" says what is wrong`,
      );
    },
  };
};
