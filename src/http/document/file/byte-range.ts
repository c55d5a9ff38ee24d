import type { ByteRange } from '../../../read/get-file.js';

/** What to send of a file: all of it, some bytes, or nothing because the range lies outside it. */
export type Selection =
  | { readonly _tag: 'Whole' }
  | { readonly _tag: 'Part'; readonly range: ByteRange }
  | { readonly _tag: 'Unsatisfiable' };

const WHOLE: Selection = { _tag: 'Whole' };
const UNSATISFIABLE: Selection = { _tag: 'Unsatisfiable' };

const SINGLE_RANGE = /^bytes=[ \t,]*(?:(\d+)-(\d*)|-(\d+))[ \t,]*$/i;

const lastBytes = (count: number, size: number): Selection => {
  if (count === 0) return UNSATISFIABLE;
  // The last bytes of an empty file are none, which a partial response cannot express.
  return size === 0 ? WHOLE : { _tag: 'Part', range: { first: Math.max(0, size - count), last: size - 1 } };
};

/**
 * Reads `Range` (RFC 9110 §14.2) for a file of `size` bytes. A malformed one, or one of another unit, is ignored. Several
 * ranges give the whole file, as the RFC allows.
 */
export const selectBytes = (header: string | undefined, size: number): Selection => {
  const [matched, first, last, suffix] = SINGLE_RANGE.exec(header ?? '') ?? [];
  if (matched === undefined) return WHOLE;
  if (first === undefined) return lastBytes(Number(suffix), size);
  const from = Number(first);
  const to = last === undefined || last === '' ? Infinity : Number(last);
  if (to < from) return WHOLE;
  return from < size ? { _tag: 'Part', range: { first: from, last: Math.min(to, size - 1) } } : UNSATISFIABLE;
};
