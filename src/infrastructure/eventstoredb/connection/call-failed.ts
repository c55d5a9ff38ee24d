import { type ServiceError, status } from '@grpc/grpc-js';

/**
 * What a failed call means.
 * - `outcome-unknown`: the server may have executed it, or may do so yet; reconnect, retry
 * - `not-executed`: it surely has not (no connection, not the leader, not ready); reconnect, retry
 * - `permanent`: a retry does not help (access, a fault of ours, a fault of the server)
 * - `too-large`, `stream-deleted` (tombstoned), `invalid-position`: permanent, for the reason that they name
 */
type FailureKind =
  'outcome-unknown' | 'not-executed' | 'permanent' | 'too-large' | 'stream-deleted' | 'invalid-position';

export class CallFailed extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CallFailed';
    this.kind = kind;
  }

  /** Whether a retry on a new connection may succeed. */
  get isTransient(): boolean {
    return this.kind === 'outcome-unknown' || this.kind === 'not-executed';
  }
}

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

const byCode = (code: status): FailureKind => {
  switch (code) {
    case status.CANCELLED:
    case status.DEADLINE_EXCEEDED:
    case status.ABORTED:
    case status.UNAVAILABLE:
    case status.INTERNAL:
    case status.DATA_LOSS:
      return 'outcome-unknown';
    case status.RESOURCE_EXHAUSTED:
      return 'too-large';
    case status.OK:
    case status.UNKNOWN:
    case status.INVALID_ARGUMENT:
    case status.NOT_FOUND:
    case status.ALREADY_EXISTS:
    case status.PERMISSION_DENIED:
    case status.FAILED_PRECONDITION:
    case status.OUT_OF_RANGE:
    case status.UNIMPLEMENTED:
    case status.UNAUTHENTICATED:
      return 'permanent';
  }
};

const kindOf = ({ code, details, metadata }: Pick<ServiceError, 'code' | 'details' | 'metadata'>): FailureKind => {
  const exception = metadata.get('exception')[0]?.toString();
  const known = exception === undefined ? undefined : byException[exception];
  if (known !== undefined) return known;
  if (notSent.test(details) || notAccepted.test(details)) return 'not-executed';
  return /invalid ?position/i.test(details) ? 'invalid-position' : byCode(code);
};

export const callFailed = (error: Pick<ServiceError, 'code' | 'details' | 'metadata'>): CallFailed =>
  new CallFailed(kindOf(error), `EventStoreDB: ${status[error.code]}: ${error.details}`, error);
