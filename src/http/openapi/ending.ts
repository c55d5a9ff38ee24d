import type { ResponseHeader } from './response-headers.js';

/** What each answer of an operation that ends has. */
export const ENDING_HEADERS = ['Deprecation', 'Sunset'] as const satisfies ReadonlyArray<ResponseHeader>;

/** How an operation ends: what docs/versioning.md promises to its clients. */
export type Ending = {
  /** Since when one should no longer use it. */
  readonly deprecated: Date;
  /** When it ends; until then it works as before. */
  readonly sunset: Date;
  /** What to use instead: a sentence of the description of the API. */
  readonly instead: string;
};

const aYearAfter = (date: Date): Date => {
  const later = new Date(date);
  later.setUTCFullYear(date.getUTCFullYear() + 1);
  return later;
};

/**
 * Those headers: `Deprecation` in seconds since 1970 (RFC 9745), `Sunset` as an HTTP
 * date (RFC 8594). Throws when its clients would have less than a year.
 */
export const endingHeaders = ({
  deprecated,
  sunset,
}: Ending): Readonly<Record<(typeof ENDING_HEADERS)[number], string>> => {
  if (!(sunset >= aYearAfter(deprecated)))
    throw new Error(`an operation ends at least a year after it is deprecated, not on ${sunset.toUTCString()}`);
  return { Deprecation: `@${Math.floor(deprecated.getTime() / 1000)}`, Sunset: sunset.toUTCString() };
};
