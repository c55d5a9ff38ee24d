import type * as t from 'io-ts';
import type { JsonSchema } from '../fields/json-schema.js';
import type { Ending } from './ending.js';
import type { EntityEvents } from './entity-events.js';
import type { RequestHeader } from './parameters.js';
import type { ResponseHeader } from './response-headers.js';

/** A body of fields, as JSON or also as a form. */
export type FieldsBody = {
  readonly json: t.Mixed;
  /** What /docs proposes to send; from the schema alone it would invent values. */
  readonly example: JsonSchema;
  readonly form?: { readonly codec: t.Mixed; readonly isFileRequired: boolean; readonly example: JsonSchema };
};

/** A body that is a file of any media type; this is the one by which the document describes it. */
type FileBody = { readonly mediaType: string };

/** What the document says of an operation beside its method, path and roles, which are in its row. */
export type OperationDescription = {
  readonly tag: string;
  readonly summary: string;
  /** Default: it stays. */
  readonly ending?: Ending;
  /** A JSON body as it is answered; that of events stands with them. */
  readonly example?: unknown;
  /** The parameters of the query, as `fields`. */
  readonly query?: t.Mixed;
  /** Whether any other parameter of the query is a fault. Default: only one that another operation takes. */
  readonly refusesUnknown?: boolean;
  readonly requestHeaders?: ReadonlyArray<RequestHeader>;
  readonly body?: FieldsBody | FileBody;
  /** A JSON body by its codec, another one by its media type, events by the kind of entity that they are of. */
  readonly success: t.Mixed | { readonly mediaType: string } | { readonly eventsOf: EntityEvents | 'all' };
  /** Other forms of the same answer, by their media types, for who asks for them by `Accept`. */
  readonly otherForms?: ReadonlyArray<string>;
  /** Beside those that every response has. */
  readonly responseHeaders?: ReadonlyArray<ResponseHeader>;
  /** Statuses without a failure, beside 200. */
  readonly otherStatuses?: ReadonlyArray<206 | 304>;
  /** Beside 400 and 429, which follow from the row. */
  readonly failures: ReadonlyArray<number>;
};

const reading = [400, 401, 404, 500, 503];
const conditional = [...reading, 412];
/** Every command takes an Idempotency-Key, which may have come with another request before, or for what is erased. */
const keyed = [...conditional, 409, 422];
const writing = [...keyed, 413, 415];

/** A GET of one entity. */
export const read = {
  requestHeaders: ['If-Match', 'If-None-Match'],
  responseHeaders: ['ETag'],
  otherStatuses: [304],
  failures: conditional,
} as const;

/** A GET of a list, of which there may be a next page. */
export const list = { responseHeaders: ['Link', 'X-Projected-Until', 'X-Total-Count'], failures: reading } as const;

/** A GET of the events of one entity, of which there may be a next page, and to which more may come. */
export const events = {
  ...read,
  requestHeaders: [...read.requestHeaders, 'Last-Event-ID'],
  responseHeaders: ['ETag', 'Link'],
  otherForms: ['text/event-stream'],
} as const;

/** A command that brings a body. */
export const write = {
  requestHeaders: ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Change-Reason'],
  responseHeaders: ['ETag', 'X-Projected', 'Idempotent-Replayed'],
  failures: writing,
} as const;

/** A command that makes something new, and may meet what is there already. */
export const create = {
  ...write,
  responseHeaders: ['Location', ...write.responseHeaders],
} as const;

/** A command whose body is not read. */
export const writeWithoutBody = { ...write, failures: keyed } as const;
