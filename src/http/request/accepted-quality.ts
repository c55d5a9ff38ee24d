import { listElements } from './list-elements.js';

/** A media range of an `Accept`: its weight, and its place among the others. */
type Accepted = { readonly quality: number; readonly order: number };

const qualityOf = (parameters: ReadonlyArray<string>): number => {
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return Number.isNaN(quality) ? 0 : quality;
};

/** The ranges of an `Accept` by name, the one with the greatest weight of each; parameters other than the weight do not count. */
const rangesOf = (accept: string): ReadonlyMap<string, Accepted> => {
  const ranges = new Map<string, Accepted>();
  for (const [order, element] of listElements(accept.toLowerCase()).entries()) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (quality > (ranges.get(name)?.quality ?? -1)) ranges.set(name, { quality, order });
  }
  return ranges;
};

/** Whether an `Accept` names a media type, in any case. It costs less than to read it as a whole, and most do not. */
export const accepts = (accept: string | undefined, mediaType: string): accept is string =>
  accept?.toLowerCase().includes(mediaType) === true;

/** The weight that an `Accept` gives to a media type that it names (RFC 9110 §12.4.2); 0 where it does not name it. */
export const acceptedQuality = (accept: string, mediaType: string): number =>
  rangesOf(accept).get(mediaType)?.quality ?? 0;

type Judged = Accepted & { readonly type: string; readonly inexact: number };

const isPreferred = (one: Judged, other: Judged): boolean => {
  if (one.quality !== other.quality) return one.quality > other.quality;
  return one.inexact === other.inexact ? one.order < other.order : one.inexact < other.inexact;
};

/** What a range says of a type, and how exactly: the most exact range counts (RFC 9110 §12.5.1). */
const judged = (ranges: ReadonlyMap<string, Accepted>, type: string): Judged => {
  const named = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const found = named.findIndex((name) => ranges.has(name));
  return { type, inexact: found, ...(ranges.get(named[found] ?? '') ?? { quality: 0, order: 0 }) };
};

/**
 * Which of these media types an `Accept` prefers, the first of those that it likes as much; undefined where it takes none.
 * The work grows with the header and no faster, unlike that of `ctx.accepts`.
 */
export const preferredType = (accept: string | undefined, types: ReadonlyArray<string>): string | undefined => {
  if (accept === undefined) return types[0];
  const ranges = rangesOf(accept);
  let best: Judged | undefined;
  for (const type of types) {
    const found = judged(ranges, type);
    if (found.quality > 0 && (best === undefined || isPreferred(found, best))) best = found;
  }
  return best?.type;
};
