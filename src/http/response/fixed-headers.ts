const NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'";

/** Not by a shared cache. */
const KEPT_BY_ITS_READER = 'private, no-cache';

const FIXED = [
  ...['X-Content-Type-Options', 'nosniff', 'X-Frame-Options', 'DENY', 'Referrer-Policy', 'no-referrer'],
  'X-Request-Id',
];

/** What may differ of one response. */
type Differing = {
  readonly contentSecurityPolicy?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly crossOriginResourcePolicy?: 'same-origin' | 'cross-origin' | undefined;
};

/** On every response, also to what is no request: never guessed at, framed or referred from, and kept by its reader alone. */
export const fixedHeaders = (
  requestId: string,
  {
    contentSecurityPolicy = NOTHING_LOADED,
    cacheControl = KEPT_BY_ITS_READER,
    crossOriginResourcePolicy = 'same-origin',
  }: Differing = {},
): Array<string> => [
  ...FIXED,
  requestId,
  ...['Content-Security-Policy', contentSecurityPolicy, 'Cache-Control', cacheControl],
  ...['Cross-Origin-Resource-Policy', crossOriginResourcePolicy],
];
