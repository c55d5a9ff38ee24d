import { either as E } from 'fp-ts';
import type { SealedTree } from '../../read/sealed-tree.js';
import { renderEntryBundle } from '../../seal/entry-bundle.js';
import { readWholeTiles } from '../../seal/read-tiles.js';
import { TILE_WIDTH, tileWidth } from '../../seal/tile.js';
import { parseTlogPath } from '../../seal/tile-path.js';
import { TLOG } from '../paths.js';
import type { Failure } from '../problem/failure.js';
import { pathOf, type RequestContext } from '../request-context.js';
import type { HttpResponse } from '../response/http-response.js';
import { respondWithBytes } from './respond-with-bytes.js';

type Outcome = Promise<E.Either<Failure, HttpResponse>>;

const nothingThere = E.left<Failure>({ _tag: 'RouteNotFound' });

/** The tree lacks what its newest checkpoint covers: it is being built anew, or was cut, which others find out. */
const incomplete = E.left<Failure>({ _tag: 'LedgerBehind' });

const CHECKPOINT = { contentType: 'text/plain; charset=utf-8', cacheControl: 'no-cache' };

// not for ever, as a log that begins anew under another origin has its tiles at the same paths
const BYTES = { contentType: 'application/octet-stream', cacheControl: 'public, max-age=3600' };

/** The signed note of the newest checkpoint. */
export const getCheckpoint =
  ({ newestCheckpoint }: Pick<SealedTree, 'newestCheckpoint'>) =>
  async (request: RequestContext): Outcome => {
    const newest = await newestCheckpoint();
    if (E.isLeft(newest)) return newest;
    if (newest.right === undefined) return nothingThere;
    return respondWithBytes(request, Buffer.from(newest.right.note), CHECKPOINT);
  };

type Bytes = Promise<E.Either<Failure, Buffer>>;

type Resource = { readonly level: number | 'entries'; readonly index: number; readonly width: number };

/**
 * What a path names; undefined of any other spelling. A trailing slash is taken, as in every path, and so are slashes that
 * are percent-encoded: a generated client does that to the place of a tile, which is one parameter to it.
 */
const resourceOf = ({ ctx }: RequestContext): Resource | undefined => {
  const parsed = parseTlogPath(pathOf(ctx).slice(`${TLOG}/`.length).replace(/%2F/gi, '/').replace(/\/$/, ''));
  if (E.isLeft(parsed)) return undefined;
  const { index, width } = parsed.right;
  return { level: parsed.right._tag === 'Tile' ? parsed.right.level : 'entries', index, width };
};

const entries = async ({ readLeaves }: SealedTree, index: number, width: number): Bytes => {
  const leaves = await readLeaves(index * TILE_WIDTH, width);
  if (E.isLeft(leaves)) return leaves;
  return leaves.right.length === width ? E.right(renderEntryBundle(leaves.right)) : incomplete;
};

const tile = async ({ readTiles }: SealedTree, level: number, index: number, width: number): Bytes => {
  const read = await readWholeTiles([{ level, index, width }], readTiles);
  if (E.isRight(read)) return E.right(Buffer.concat(read.right));
  return read.left._tag === 'TileIncomplete' ? incomplete : E.left(read.left);
};

/** A tile or an entry bundle, of which the newest checkpoint covers at least as much as is asked for. */
export const getTile =
  (tree: SealedTree) =>
  async (request: RequestContext): Outcome => {
    const resource = resourceOf(request);
    if (resource === undefined) return nothingThere;
    const newest = await tree.newestCheckpoint();
    if (E.isLeft(newest)) return newest;
    const { level, index, width } = resource;
    const size = newest.right?.size ?? 0;
    if (width > tileWidth(level === 'entries' ? 0 : level, index, size)) return nothingThere;
    const bytes = await (level === 'entries' ? entries(tree, index, width) : tile(tree, level, index, width));
    return E.isLeft(bytes) ? bytes : respondWithBytes(request, bytes.right, BYTES);
  };
