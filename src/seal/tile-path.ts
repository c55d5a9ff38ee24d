import { either as E } from 'fp-ts';
import { type Tile, TILE_WIDTH } from './tile.js';

/** A part of the leaves themselves: the first `width` of 256. */
type EntryBundle = { readonly index: number; readonly width: number };

type TlogResource = ({ readonly _tag: 'Tile' } & Tile) | ({ readonly _tag: 'EntryBundle' } & EntryBundle);

/** 1234067 is x001/x234/067. */
const indexPath = (index: number): string => {
  const digits = String(index);
  const groups = digits.padStart(3 * Math.ceil(digits.length / 3), '0').match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/');
};

const place = ({ index, width }: EntryBundle): string =>
  width === TILE_WIDTH ? indexPath(index) : `${indexPath(index)}.p/${width}`;

/** The path of a tile below the log's prefix (https://c2sp.org/tlog-tiles): `tile/<L>/<N>[.p/<W>]`. */
export const tilePath = (tile: Tile): string => `tile/${tile.level}/${place(tile)}`;

/** The path of an entry bundle below the log's prefix: `tile/entries/<N>[.p/<W>]`. */
export const entryBundlePath = (bundle: EntryBundle): string => `tile/entries/${place(bundle)}`;

const PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;
const HIGHEST_LEVEL = 63;

/**
 * What a path below the log's prefix names. Every resource has one path; any other spelling of it is none. An index beyond
 * 2^53 - 1 is none either: no tree here can have that tile.
 */
export const parseTlogPath = (path: string): E.Either<string, TlogResource> => {
  const [, kind = '', groups = '', partial] = PATH.exec(path) ?? [];
  const index = Number(groups.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  const level = Number(kind);
  const isSpelledSo =
    kind === 'entries' ? entryBundlePath({ index, width }) === path : tilePath({ level, index, width }) === path;
  if (!isSpelledSo || width < 1 || width > TILE_WIDTH || level > HIGHEST_LEVEL || !Number.isSafeInteger(index))
    return E.left('the path names no tile and no entry bundle');
  return E.right(kind === 'entries' ? { _tag: 'EntryBundle', index, width } : { _tag: 'Tile', level, index, width });
};
