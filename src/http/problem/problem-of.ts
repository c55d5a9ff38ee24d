import type { Failure } from './failure.js';
import { invalid, notFound, type Problem } from './problem.js';

type ProblemTable = { readonly [Tag in Failure['_tag']]: (failure: Extract<Failure, { _tag: Tag }>) => Problem };

/** Seconds after which a client may ask again when something we need is away. */
const RETRY_AFTER = '1';

/** The same where a person has to do something first. */
const LATER = '60';

const unexpected = (): Problem => ({
  status: 500,
  name: 'Internal Server Error',
  message: 'Internal Server Error',
});

const unavailable = (_: unknown, message = 'The service cannot answer right now; try again shortly'): Problem => ({
  status: 503,
  name: 'Service Unavailable',
  message,
  headers: ['Retry-After', RETRY_AFTER],
});

const unauthorized = (challenge: string, message: string): Problem => ({
  status: 401,
  name: 'Unauthorized',
  message,
  headers: ['WWW-Authenticate', challenge],
});

/**
 * What a failure means in HTTP; a tag without a row does not compile. The rejections of a decider have theirs in the
 * folder of their entity.
 */
const problems: ProblemTable = {
  Rejected: ({ problem }) => problem,
  EntityNotFound: () => notFound,
  NeverExisted: () => notFound,
  NoSuchIndex: () => ({ status: 404, name: 'Not Found', message: 'No event has this index' }),
  RequestInvalid: ({ errors }) => invalid(...errors),
  UnknownCursor: () => invalid({ path: 'after', message: 'must be the _id of a record' }),
  UploadAborted: () => invalid({ path: 'file', message: 'must be complete' }),
  Unauthenticated: ({ reason }) =>
    reason === undefined
      ? unauthorized('Bearer', 'A bearer token is required')
      : unauthorized(`Bearer error="invalid_token", error_description="${reason}"`, reason),
  RoleMissing: () => ({
    status: 401,
    name: 'Invalid Role',
    message: 'You do not have the required role to access this resource',
    headers: ['WWW-Authenticate', 'Bearer error="insufficient_scope"'],
  }),
  RouteNotFound: () => ({ status: 404, name: 'Not Found', message: 'There is nothing at this path' }),
  MethodNotAllowed: ({ allow }) => ({
    status: 405,
    name: 'Method Not Allowed',
    message: `This path takes ${allow}`,
    headers: ['Allow', allow],
  }),
  PreconditionFailed: () => ({
    status: 412,
    name: 'Precondition Failed',
    message: 'The record is not at the revision the request asks for',
  }),
  PayloadTooLarge: ({ limit }) => ({
    status: 413,
    name: 'Payload Too Large',
    message: `The limit is ${limit} bytes`,
  }),
  UnsupportedMediaType: ({ message }) => ({ status: 415, name: 'Unsupported Media Type', message }),
  RangeNotSatisfiable: ({ size }) => ({
    status: 416,
    name: 'Range Not Satisfiable',
    message: `The file has ${size} bytes`,
    headers: ['Content-Range', `bytes */${size}`],
  }),
  IdempotencyKeyReused: () => ({
    status: 422,
    name: 'Idempotency Key Reused',
    message: 'The Idempotency-Key came with another request before',
  }),
  TooManyRequests: ({ retryAfter }) => ({
    status: 429,
    name: 'Too Many Requests',
    message: 'Too many requests; try again later',
    headers: ['Retry-After', String(retryAfter)],
  }),
  HistoryCut: () => ({
    status: 503,
    name: 'Service Unavailable',
    message:
      'The history of this record is shorter than its row: events are missing from the log. Nothing is written to it ' +
      'until the operator of the service has looked into this',
    code: 'history_cut',
    headers: ['Retry-After', LATER],
  }),
  StreamContended: unavailable,
  StoreUnavailable: unavailable,
  ReadModelUnavailable: unavailable,
  LedgerBehind: (failure) => ({
    ...unavailable(failure, 'The ledger does not have all events yet; try again shortly'),
    code: 'ledger_behind',
  }),
  NotSealedYet: (failure) => ({
    ...unavailable(failure, 'No signed checkpoint covers the event yet; try again shortly'),
    code: 'not_sealed_yet',
  }),
  StorageUnavailable: unavailable,
  FileUnavailable: unavailable,
  KeysUnavailable: unavailable,
  // the other requests of the connection would fail too, and others wait for a connection
  Overloaded: (failure) => ({ ...unavailable(failure), closes: true }),
  NotReady: (failure) => unavailable(failure, `Not ready: ${failure.missing.join(', ')}`),
  // repeating the request does not bring a file back
  FileMissing: unexpected,
  FileTooShort: unexpected,
  FileDiffers: unexpected,
  AppendRejected: unexpected,
  UndecodableEvent: unexpected,
  Unexpected: unexpected,
  // Nobody reads it.
  ClientGone: () => invalid({ path: '', message: 'the request ended early' }),
};

export const problemOf = (failure: Failure): Problem => {
  // reason: the table pairs each tag with the function for that very tag, which an index by a union cannot express
  const describe = problems[failure._tag] as (failure: Failure) => Problem;
  return describe(failure);
};
