import * as t from 'io-ts';
import type { JsonSchema } from '../fields/json-schema.js';
import { ENDING_HEADERS } from './ending.js';
import type { EntityEvents } from './entity-events.js';
import type { EventResponses } from './event-schemas.js';
import { failureExamples } from './failure-examples.js';
import type { OperationDescription } from './operation-description.js';
import { PROBLEM_TYPE } from '../problem/problem-details.js';
import { type ResponseHeader, responseHeaders } from './response-headers.js';
import { ErrorResponse, ProblemResponse } from './response-schemas.js';

export type Schemas = {
  readonly schemaOf: (codec: t.Mixed) => JsonSchema;
  readonly events: EventResponses;
};

const shown = (example: unknown): JsonSchema => (example === undefined ? {} : { example });

/** What a response also has where it leaves out the body. */
const OF_NO_BODY: ReadonlySet<ResponseHeader> = new Set([
  ...(['Repr-Digest', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy'] as const),
  ...ENDING_HEADERS,
]);

const DONE = 'Done';

/** Of each failure: its name in the document, and what it says. */
const meanings: Readonly<Record<number, readonly [string, string]>> = {
  400: ['ValidationError', 'Validation Error: all faults of the request'],
  401: ['Unauthorized', 'Unauthorized: no good token; or Invalid Role: it does not allow this'],
  404: ['NotFound', 'Entity not found'],
  409: ['Conflict', 'Conflict'],
  412: ['PreconditionFailed', 'Precondition Failed'],
  413: ['PayloadTooLarge', 'Payload Too Large'],
  415: [
    'UnsupportedMediaType',
    'Unsupported Media Type: the body is of no type that the operation takes, or compressed',
  ],
  416: ['RangeNotSatisfiable', 'Range Not Satisfiable'],
  422: ['IdempotencyKeyReused', 'Idempotency Key Reused'],
  429: ['TooManyRequests', 'Too Many Requests'],
  500: ['InternalServerError', 'Internal Server Error'],
  503: ['ServiceUnavailable', 'Service Unavailable'],
};

const failureHeaders: Readonly<Record<number, ReadonlyArray<ResponseHeader>>> = {
  401: ['WWW-Authenticate'],
  412: ['ETag'],
  415: ['Accept', 'Accept-Encoding'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const headersOf = (...names: ReadonlyArray<ResponseHeader>): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries((['X-Request-Id', 'Vary', ...names] as const).map((name) => [name, responseHeaders[name]]));

/** A feed, which is never whole, has no tag, and neither has what is not there. */
const withOptionalTag = ({ ETag: { required, ...tag } = {}, ...headers }: ReturnType<typeof headersOf>) => ({
  ...headers,
  ...(required === undefined ? {} : { ETag: tag }),
});

/** What is said of a body that is no JSON, and where nothing is, its readers know the media type. */
const BODIES: Readonly<Record<string, JsonSchema>> = {
  'text/event-stream': {
    type: 'string',
    description: 'One event of the feed after another, as LedgerEvent in `data`.',
  },
  'text/csv': { type: 'string', description: 'A table: a line with the names of its columns, then one for each item.' },
  'application/x-ndjson': { type: 'string', description: 'A line for each item, in the form that it has as JSON.' },
};

const TEXT = { type: 'string' };
const BYTES = { type: 'string', format: 'binary' };

/** Generators of clients take a body without a schema for none. */
const bodyOf = (mediaType: string): JsonSchema => ({
  schema: BODIES[mediaType] ?? (mediaType.startsWith('text/') ? TEXT : BYTES),
});

const eventsExample = (eventsOf: EntityEvents | 'all'): unknown => (eventsOf === 'all' ? undefined : eventsOf.example);

const contentOf = (
  { success, example }: Pick<OperationDescription, 'success' | 'example'>,
  { schemaOf, events }: Schemas,
): JsonSchema => {
  if ('mediaType' in success) return { [success.mediaType]: bodyOf(success.mediaType) };
  if (!('eventsOf' in success)) return { 'application/json': { schema: schemaOf(success), ...shown(example) } };
  const { eventsOf } = success;
  const event = eventsOf === 'all' ? events.ofLedger : events.of(eventsOf);
  return { 'application/json': { schema: schemaOf(t.array(event)), ...shown(eventsExample(eventsOf)) } };
};

/** What every failure has whose request was counted. */
const OF_FAILURES = ['RateLimit', 'RateLimit-Policy'] as const;

const failure = (status: number, more: ReadonlyArray<ResponseHeader>, schemaOf: Schemas['schemaOf']): JsonSchema => ({
  description: meanings[status]?.[1] ?? 'Failed',
  headers: withOptionalTag(headersOf(...OF_FAILURES, ...more, ...(failureHeaders[status] ?? []))),
  content: {
    'application/json': { schema: schemaOf(ErrorResponse), ...shown(failureExamples[status]) },
    [PROBLEM_TYPE]: { schema: schemaOf(ProblemResponse) },
  },
});

const failureName = (status: number): string => meanings[status]?.[0] ?? `Failure${status}`;

/** The failures that operations share, by their names; `more` are headers that only some of these operations have. */
export const sharedFailures = (
  statuses: ReadonlyArray<number>,
  more: ReadonlyArray<ResponseHeader>,
  schemaOf: Schemas['schemaOf'],
): JsonSchema => Object.fromEntries(statuses.map((status) => [failureName(status), failure(status, more, schemaOf)]));

/** Every response that an operation may give, by its status; the failures refer to those that all operations share. */
export const responsesOf = (description: OperationDescription, schemas: Schemas): JsonSchema => {
  const { otherForms = [], responseHeaders: own = [], otherStatuses = [], failures } = description;
  const always = headersOf(...own);
  const headers = otherForms.includes('text/event-stream') ? withOptionalTag(always) : always;
  const forms = Object.fromEntries(otherForms.map((mediaType) => [mediaType, bodyOf(mediaType)]));
  const done = { description: DONE, headers, content: { ...contentOf(description, schemas), ...forms } };
  const byStatus: Record<string, JsonSchema> = { 200: done };
  for (const status of failures) byStatus[status] = { $ref: `#/components/responses/${failureName(status)}` };
  for (const status of otherStatuses)
    byStatus[status] =
      status === 304
        ? {
            description: 'Not modified',
            headers: headersOf('ETag', ...own.filter((name) => OF_NO_BODY.has(name))),
          }
        : { ...done, description: 'The bytes asked for', headers: headersOf(...own, 'Content-Range') };
  return byStatus;
};
