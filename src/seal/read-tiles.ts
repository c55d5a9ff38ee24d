import { either as E } from 'fp-ts';
import { HASH_BYTES } from './hash.js';
import type { Tile } from './tile.js';

/**
 * Reads whole tiles, in the order asked for. A tile only ever grows, so the store may keep its newest bytes alone: what it
 * answers has at least the hashes of the tile that was asked for, and further ones are left aside. No bytes stand for a
 * tile that the store does not have.
 */
export type ReadTiles<Failure> = (
  tiles: ReadonlyArray<Tile>,
) => Promise<E.Either<Failure, ReadonlyArray<Buffer | undefined>>>;

/** The store lacks a tile of the tree, or the end of it. */
export type TileIncomplete = { readonly _tag: 'TileIncomplete'; readonly tile: Tile };

/** Reads these tiles in one call and gives exactly the hashes of each. */
export const readWholeTiles = async <Failure>(
  tiles: ReadonlyArray<Tile>,
  readTiles: ReadTiles<Failure>,
): Promise<E.Either<Failure | TileIncomplete, ReadonlyArray<Buffer>>> => {
  const read: E.Either<Failure | TileIncomplete, ReadonlyArray<Buffer | undefined>> = tiles.length === 0
    ? E.right([])
    : await readTiles(tiles);
  if (E.isLeft(read)) return read;
  const whole: Array<Buffer> = [];
  for (const [at, tile] of tiles.entries()) {
    const bytes = read.right[at]?.subarray(0, tile.width * HASH_BYTES);
    if (bytes?.length !== tile.width * HASH_BYTES) return E.left({ _tag: 'TileIncomplete', tile });
    whole.push(bytes);
  }
  return E.right(whole);
};
