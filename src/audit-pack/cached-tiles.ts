import { either as E } from 'fp-ts';
import { makeBoundedCache } from '../event-sourcing/bounded-cache.js';
import type { ReadTiles } from '../seal/read-tiles.js';
import type { Tile } from '../seal/tile.js';

/** Of 8 KiB each. */
const TILES = 512;

const keyOf = ({ level, index, width }: Tile): string => `${level}/${index}/${width}`;

/** The same tiles, most of them read once: proofs of events that are near each other need the same ones. */
export const cachedTiles = <Failure>(readTiles: ReadTiles<Failure>): ReadTiles<Failure> => {
  const cache = makeBoundedCache<string, Buffer>(TILES);
  return async (tiles) => {
    const missing = tiles.filter((tile) => cache.get(keyOf(tile)) === undefined);
    const read = missing.length === 0 ? E.right([]) : await readTiles(missing);
    if (E.isLeft(read)) return read;
    const fresh = new Map<string, Buffer | undefined>();
    for (const [at, tile] of missing.entries()) {
      const bytes = read.right[at];
      fresh.set(keyOf(tile), bytes);
      if (bytes !== undefined) cache.set(keyOf(tile), bytes);
    }
    return E.right(tiles.map((tile) => fresh.get(keyOf(tile)) ?? cache.get(keyOf(tile))));
  };
};
