import { type ServiceError, status } from '@grpc/grpc-js';

/**
 * What a failed call means.
 * - `outcome-unknown`: the server may have executed it, or may do so yet; reconnect, retry
 * - `server-timeout`: the server has given up waiting for itself (it paused, or has no quorum), and may have executed it;
 *   retry on the same connection
 * - `not-executed`: it surely has not (no connection, not the leader, not ready); reconnect, retry
 * - `permanent`: a retry does not help (access, a fault of ours, a fault of the server)
 * - `too-large`, `stream-deleted` (tombstoned), `invalid-position`: permanent, for the reason that they name
 */
type FailureKind =
  | 'outcome-unknown'
  | 'server-timeout'
  | 'not-executed'
  | 'permanent'
  | 'too-large'
  | 'stream-deleted'
  | 'invalid-position';

export class CallFailed extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CallFailed';
    this.kind = kind;
  }

  /** Whether a retry on a new connection may succeed. */
  get isOfConnection(): boolean {
    return this.kind === 'outcome-unknown' || this.kind === 'not-executed';
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.isOfConnection || this.kind === 'server-timeout';
  }

  /** Whether the call may have been executed all the same. */
  get isUndecided(): boolean {
    return this.kind === 'outcome-unknown' || this.kind === 'server-timeout';
  }
}

/** Nothing came for so long, ms, of a call whose outcome is not known then. */
export const nothingCame = (timeout: number): CallFailed =>
  new CallFailed('outcome-unknown', `EventStoreDB: no message for ${Math.round(timeout)} ms`);

// by the trailer `exception`, which the server sends with its own errors (its RpcExceptions.cs)
const byException: { readonly [exception: string]: FailureKind } = {
  'not-leader': 'not-executed',
  'stream-deleted': 'stream-deleted',
  'maximum-append-size-exceeded': 'too-large',
  'maximum-append-event-size-exceeded': 'too-large',
  'access-denied': 'permanent',
};

const notSent = /^(No connection established|Name resolution failed|Channel closed before call started)/;
const notAccepted = /^(Server Is (Not Ready|Too Busy)|No leader info)/;

const outcomeUnknown = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.UNAVAILABLE,
  status.INTERNAL,
  status.DATA_LOSS,
]);

const byCode = (code: status): FailureKind => {
  if (code === status.RESOURCE_EXHAUSTED) return 'too-large';
  if (code === status.ABORTED) return 'server-timeout';
  return outcomeUnknown.has(code) ? 'outcome-unknown' : 'permanent';
};

const kindOf = ({ code, details, metadata }: Pick<ServiceError, 'code' | 'details' | 'metadata'>): FailureKind => {
  const exception = metadata.get('exception')[0]?.toString();
  const known = exception === undefined ? undefined : byException[exception];
  if (known !== undefined) return known;
  if (notSent.test(details) || notAccepted.test(details)) return 'not-executed';
  return /invalid ?position/i.test(details) ? 'invalid-position' : byCode(code);
};

/** What to do where the server only says that it does not want to. */
const ADVICE: { readonly [code in status]?: string } = {
  [status.UNAUTHENTICATED]:
    'The server does not take the user of the connection string (EVENTSTOREDB_URL), or the password. Correct them.',
  [status.PERMISSION_DENIED]:
    'The user of the connection string (EVENTSTOREDB_URL) may not do this. Name one that may read and write all streams.',
};

export const callFailed = (error: Pick<ServiceError, 'code' | 'details' | 'metadata'>): CallFailed => {
  const advice = ADVICE[error.code];
  const message = `EventStoreDB: ${status[error.code]}: ${error.details}`;
  return new CallFailed(kindOf(error), advice === undefined ? message : `${message}. ${advice}`, error);
};
