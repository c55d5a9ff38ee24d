import * as t from 'io-ts';
import type { JsonSchema } from '../fields/json-schema.js';
import type { OperationDescription } from './operation-description.js';
import { ErrorResponse } from './response-schemas.js';

export type Schemas = {
  readonly schemaOf: (codec: t.Mixed) => JsonSchema;
  /** Of an event of any of the entities in the table. */
  readonly event: t.Mixed;
};

const TEXT = { type: 'string' };

/** For a header that every such response has; the others are optional. */
const ALWAYS = { required: true, schema: TEXT };

const headerSchemas: Readonly<Record<string, JsonSchema>> = {
  ETag: {
    description: 'The revision of the record, or what identifies the bytes of the body; strong.',
    ...ALWAYS,
  },
  'Content-Encoding': { description: 'gzip, where the body comes in that coding.', schema: { const: 'gzip' } },
  Vary: { description: 'The headers of the request that the body depends on.', schema: TEXT },
  Location: { description: 'Where the record is.', ...ALWAYS },
  Link: { description: 'rel="next" while more follow a page (RFC 8288).', schema: TEXT },
  'X-Projected': { description: 'false: lists may not show the change yet.', schema: { const: 'false' } },
  'X-Request-Id': { description: 'Names the request in the log.', ...ALWAYS },
  'Content-Disposition': { description: 'attachment, with the name of the file.', ...ALWAYS },
  'Accept-Ranges': { description: 'bytes', ...ALWAYS },
  'Repr-Digest': {
    description: 'sha-256: the hash of the whole file, also where the answer is a range of it (RFC 9530).',
    ...ALWAYS,
  },
  'Content-Range': { description: 'Which bytes, and of how many.', ...ALWAYS },
  'WWW-Authenticate': { description: 'What is wrong with the token.', ...ALWAYS },
  'Retry-After': { description: 'Seconds after which to try again.', ...ALWAYS },
};

const meanings: Readonly<Record<number, string>> = {
  200: 'Done',
  206: 'The bytes asked for',
  304: 'Not modified',
  400: 'Validation Error: all faults of the request',
  401: 'Unauthorized: no good token; or Invalid Role: it does not allow this',
  404: 'Entity not found',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  422: 'Idempotency Key Reused',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const failureHeaders: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  416: 'Content-Range',
  429: 'Retry-After',
  503: 'Retry-After',
};

const headersOf = (...names: ReadonlyArray<string>): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, headerSchemas[name] ?? {}]));

/** A feed, which is never whole, has no tag. */
const withoutTagInFeeds = ({ ETag: { required, ...tag } = {}, ...headers }: ReturnType<typeof headersOf>) => ({
  ...headers,
  ...(required === undefined ? {} : { ETag: tag }),
});

const contentOf = (success: OperationDescription['success'], { schemaOf, event }: Schemas): JsonSchema => {
  if ('mediaType' in success) return { [success.mediaType]: {} };
  return { 'application/json': { schema: schemaOf('eventsOf' in success ? t.array(event) : success) } };
};

const failure = (status: number, schemaOf: Schemas['schemaOf']): JsonSchema => ({
  description: meanings[status] ?? 'Failed',
  headers: headersOf(...[failureHeaders[status]].filter((name) => name !== undefined)),
  content: { 'application/json': { schema: schemaOf(ErrorResponse) } },
});

/** Every response that an operation may give, by its status. */
export const responsesOf = (
  { success, otherForms = [], responseHeaders = [], otherStatuses = [], failures }: OperationDescription,
  schemas: Schemas,
): JsonSchema => {
  const always = headersOf(...responseHeaders);
  const headers = otherForms.includes('text/event-stream') ? withoutTagInFeeds(always) : always;
  const forms = Object.fromEntries(otherForms.map((mediaType) => [mediaType, {}]));
  const done = { description: meanings[200], headers, content: { ...contentOf(success, schemas), ...forms } };
  const byStatus: Record<string, JsonSchema> = { 200: done };
  for (const status of failures) byStatus[status] = failure(status, schemas.schemaOf);
  for (const status of otherStatuses)
    byStatus[status] =
      status === 304
        ? {
            description: meanings[304],
            headers: headersOf('ETag', ...responseHeaders.filter((name) => name === 'Vary' || name === 'Repr-Digest')),
          }
        : { ...done, description: meanings[206], headers: headersOf(...responseHeaders, 'Content-Range') };
  return byStatus;
};
