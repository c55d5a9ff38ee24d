import type { Failure } from './failure.js';
import { tagOfExpected } from '../request/entity-tags.js';
import type { ErrorCode } from './error-codes.js';
import { conflict, invalid, notFound, type Problem } from './problem.js';

type ProblemTable = {
  readonly [Tag in Failure['_tag']]: (failure: Extract<Failure, { _tag: Tag }>, absent: ErrorCode) => Problem;
};

/** Seconds after which a client may ask again when something we need is away. */
const RETRY_AFTER = '1';

/** The same where the request has to be another one, or others have to end theirs. */
const SEARCH_LATER = '30';

/** The same where a person has to do something first. */
const LATER = '60';

const unexpected = (code: ErrorCode) => (): Problem => ({
  status: 500,
  name: 'Internal Server Error',
  message: 'Internal Server Error',
  code,
});

const saying = (code: ErrorCode, message: string, retryAfter = RETRY_AFTER): Problem => ({
  status: 503,
  name: 'Service Unavailable',
  message,
  code,
  headers: ['Retry-After', retryAfter],
});

const unavailable = (code: ErrorCode) => (): Problem =>
  saying(code, 'The service cannot answer right now; try again shortly');

const unauthorized = (code: ErrorCode, challenge: string, message: string): Problem => ({
  status: 401,
  name: 'Unauthorized',
  message,
  code,
  headers: ['WWW-Authenticate', challenge],
});

const preconditionFailed = (tag: string | undefined): Problem => ({
  status: 412,
  name: 'Precondition Failed',
  message: 'The conditions of the request (If-Match, If-None-Match) are not met',
  code: 'precondition_failed',
  headers: tag === undefined ? [] : ['ETag', tag],
});

/**
 * What a failure means in HTTP; a tag without a row does not compile. The rejections of a decider have theirs in the
 * folder of their entity.
 */
const problems: ProblemTable = {
  Rejected: ({ problem }) => problem,
  EntityNotFound: (_, absent) => notFound(absent),
  NeverExisted: (_, absent) => notFound(absent),
  RevisionNotFound: () => notFound('revision_not_found'),
  FileNotFound: () => notFound('file_not_found'),
  LinkNotValid: () => ({
    status: 404,
    name: 'Not Found',
    message: 'The link is not valid, or no longer',
    code: 'link_not_valid',
  }),
  NoSuchIndex: () => ({
    status: 404,
    name: 'Not Found',
    message: 'No event has this index',
    code: 'event_not_found',
  }),
  RequestInvalid: ({ errors }) => invalid('validation_failed', ...errors),
  UnknownCursor: () => invalid('cursor_unknown', { path: 'after', message: 'must be the _id of a record' }),
  UploadAborted: () => invalid('upload_incomplete', { path: 'file', message: 'must be complete' }),
  Unauthenticated: ({ reason, isExpired = false }) =>
    reason === undefined
      ? unauthorized('token_missing', 'Bearer', 'A bearer token is required')
      : unauthorized(
          isExpired ? 'token_expired' : 'token_invalid',
          `Bearer error="invalid_token", error_description="${reason}"`,
          reason,
        ),
  RoleMissing: ({ roles }) => ({
    status: 401,
    name: 'Invalid Role',
    message: 'You do not have the required role to access this resource',
    code: 'role_missing',
    roles,
    headers: ['WWW-Authenticate', 'Bearer error="insufficient_scope"'],
  }),
  RouteNotFound: () => ({
    status: 404,
    name: 'Not Found',
    message: 'There is nothing at this path',
    code: 'no_such_route',
  }),
  MethodNotAllowed: ({ allow }) => ({
    status: 405,
    name: 'Method Not Allowed',
    message: `This path takes ${allow}`,
    code: 'method_not_allowed',
    headers: ['Allow', allow],
  }),
  PreconditionFailed: ({ current }) => preconditionFailed(tagOfExpected(current)),
  TagNotMatched: ({ tag }) => preconditionFailed(tag),
  PayloadTooLarge: ({ limit }) => ({
    status: 413,
    name: 'Payload Too Large',
    message: `The limit is ${limit} bytes`,
    code: 'payload_too_large',
  }),
  UnsupportedMediaType: ({ message, takes }) => ({
    status: 415,
    name: 'Unsupported Media Type',
    message,
    code: 'unsupported_media_type',
    headers: takes,
  }),
  RangeNotSatisfiable: ({ size }) => ({
    status: 416,
    name: 'Range Not Satisfiable',
    message: `The file has ${size} bytes`,
    code: 'range_not_satisfiable',
    headers: ['Content-Range', `bytes */${size}`],
  }),
  IdempotencyKeyReused: () => ({
    status: 422,
    name: 'Idempotency Key Reused',
    message: 'The Idempotency-Key came with another body or Change-Reason before',
    code: 'idempotency_key_reused',
  }),
  ResultErased: () => conflict('result_erased', 'What the first request with this Idempotency-Key did was erased'),
  TooManyRequests: ({ retryAfter }) => ({
    status: 429,
    name: 'Too Many Requests',
    message: 'Too many requests; try again later',
    code: 'too_many_requests',
    headers: ['Retry-After', String(retryAfter)],
  }),
  HistoryCut: () =>
    saying(
      'history_cut',
      'The history of this record is shorter than its row: events are missing from the log. Nothing is written to it ' +
        'until the operator of the service has looked into this',
      LATER,
    ),
  StreamContended: unavailable('record_contended'),
  StoreUnavailable: unavailable('log_unavailable'),
  ReadModelUnavailable: unavailable('read_model_unavailable'),
  SearchTooSlow: () =>
    saying(
      'search_too_slow',
      'The search took too long; name more letters or another filter, so that it finds less, or try again later',
      SEARCH_LATER,
    ),
  LedgerBehind: () => saying('ledger_behind', 'The ledger does not have all events yet; try again shortly'),
  NotSealedYet: () => saying('not_sealed_yet', 'No signed checkpoint covers the event yet; try again shortly'),
  StorageUnavailable: unavailable('file_storage_unavailable'),
  FileUnavailable: unavailable('file_storage_unavailable'),
  KeysUnavailable: unavailable('keys_unavailable'),
  ReadNotRecorded: unavailable('read_not_recorded'),
  // the other requests of the connection would fail too, and others wait for a connection
  Overloaded: () => ({ ...unavailable('overloaded')(), closes: true }),
  NotReady: ({ missing, checks }) => ({ ...saying('not_ready', `Not ready: ${missing.join(', ')}`), checks }),
  // repeating the request does not bring a file back
  FileMissing: unexpected('file_lost'),
  FileTooShort: unexpected('file_damaged'),
  FileDiffers: unexpected('file_damaged'),
  AppendRejected: unexpected('append_rejected'),
  UndecodableEvent: unexpected('event_unreadable'),
  Unexpected: unexpected('internal_error'),
  // Nobody reads it.
  ClientGone: () => invalid('request_incomplete', { path: '', message: 'the request ended early' }),
};

/** What a failure means to its client; `absent` is the code where there is no such record. */
export const problemOf = (failure: Failure, absent: ErrorCode = 'entity_not_found'): Problem => {
  // reason: the table pairs each tag with the function for that very tag, which an index by a union cannot express
  const describe = problems[failure._tag] as (failure: Failure, absent: ErrorCode) => Problem;
  return describe(failure, absent);
};
