import type { JsonSchema } from '../fields/json-schema.js';
import { COUNTED, STRICT } from '../request/preferences.js';

const TEXT = { type: 'string' };

/** For a header that every such response has; the others are optional. */
const ALWAYS = { required: true, schema: TEXT };

/** Every header of a response that clients read. Pages of other origins may read them, too. */
export const responseHeaders = {
  ETag: {
    description: 'The revision of the record, or what identifies the bytes of the body; strong.',
    ...ALWAYS,
  },
  'Content-Encoding': { description: 'gzip, where the body comes in that coding.', schema: { const: 'gzip' } },
  Vary: { description: 'The headers of the request that the answer depends on.', schema: TEXT },
  Location: { description: 'Where the record is.', ...ALWAYS },
  Link: { description: 'rel="next" while more follow a page (RFC 8288).', schema: TEXT },
  'X-Total-Count': {
    description: `How many records the whole list has, where Prefer asks for it by ${COUNTED} and it was counted in time.`,
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'X-Projected': { description: 'false: lists may not show the change yet.', schema: { const: 'false' } },
  'X-Projected-Until': {
    description: 'Where changes may be missing: the list has all up to this time (RFC 3339), or it is unknown.',
    schema: TEXT,
  },
  'Idempotent-Replayed': {
    description: 'true: the Idempotency-Key came before, and this is the result of that request.',
    schema: { const: 'true' },
  },
  'Preference-Applied': {
    description: `Which of the preferences of Prefer were applied: ${STRICT}, ${COUNTED} or both.`,
    schema: { type: 'string', examples: [STRICT, COUNTED, `${COUNTED}, ${STRICT}`] },
  },
  Deprecation: {
    description: 'Since when the operation should no longer be used: @ and seconds since 1970 (RFC 9745).',
    schema: TEXT,
  },
  Sunset: { description: 'When the operation ends, as an HTTP date (RFC 8594).', schema: TEXT },
  'X-Request-Id': { description: 'Names the request in the log.', ...ALWAYS },
  'Content-Disposition': { description: 'attachment, with the name of the file.', ...ALWAYS },
  'Accept-Ranges': { description: 'bytes', ...ALWAYS },
  'Repr-Digest': {
    description: 'sha-256: the hash of the whole file, also where the answer is a range of it (RFC 9530).',
    ...ALWAYS,
  },
  'Content-Range': { description: 'Which bytes, and of how many.', ...ALWAYS },
  'WWW-Authenticate': { description: 'What is wrong with the token.', ...ALWAYS },
  Accept: { description: 'The media types of a body that the operation takes.', schema: TEXT },
  'Accept-Encoding': { description: 'identity: the body must not be compressed.', schema: { const: 'identity' } },
  Allow: { description: 'The methods that the path takes.', ...ALWAYS },
  'Retry-After': { description: 'Seconds after which to try again.', ...ALWAYS },
  RateLimit: {
    description: 'Where a limit is configured: requests that remain (r), for so many seconds (t).',
    schema: TEXT,
  },
  'RateLimit-Policy': {
    description: 'Where a limit is configured: how many requests (q) in how many seconds (w), by caller or address.',
    schema: TEXT,
  },
} satisfies Readonly<Record<string, JsonSchema>>;

export type ResponseHeader = keyof typeof responseHeaders;
