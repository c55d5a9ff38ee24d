import { type ServiceError, status } from '@grpc/grpc-js';

/**
 * What a failed call means.
 * - `unknown`: the server may have done it, or may do it yet; the connection is to be renewed
 * - `not-done`: it surely has not been done (no connection, not the leader, not ready); renew, repeat
 * - `refused`: repeating does not help (access, a fault of ours, a fault of the server)
 * - `too-large`, `stream-gone` (tombstoned), `invalid-position`: what they say, for ever
 */
type FailureKind = 'unknown' | 'not-done' | 'refused' | 'too-large' | 'stream-gone' | 'invalid-position';

export class CallFailed extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CallFailed';
    this.kind = kind;
  }

  /** Whether another call, on a renewed connection, may do better. */
  get isPassing(): boolean {
    return this.kind === 'unknown' || this.kind === 'not-done';
  }
}

// trailer `exception` of the server's own errors (its RpcExceptions.cs)
const byException: { readonly [exception: string]: FailureKind } = {
  'not-leader': 'not-done',
  'stream-deleted': 'stream-gone',
  'maximum-append-size-exceeded': 'too-large',
  'maximum-append-event-size-exceeded': 'too-large',
  'access-denied': 'refused',
};

const neverSent = /^(No connection established|Name resolution failed|Channel closed before call started)/;
const notTaken = /^(Server Is (Not Ready|Too Busy)|No leader info)/;

const byCode = (code: status): FailureKind => {
  switch (code) {
    case status.CANCELLED:
    case status.DEADLINE_EXCEEDED:
    case status.ABORTED:
    case status.UNAVAILABLE:
    case status.INTERNAL:
    case status.DATA_LOSS:
      return 'unknown';
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
      return 'refused';
  }
};

const kindOf = ({ code, details, metadata }: Pick<ServiceError, 'code' | 'details' | 'metadata'>): FailureKind => {
  const exception = metadata.get('exception')[0]?.toString();
  const known = exception === undefined ? undefined : byException[exception];
  if (known !== undefined) return known;
  if (neverSent.test(details) || notTaken.test(details)) return 'not-done';
  return /invalid ?position/i.test(details) ? 'invalid-position' : byCode(code);
};

export const callFailed = (error: Pick<ServiceError, 'code' | 'details' | 'metadata'>): CallFailed =>
  new CallFailed(kindOf(error), `EventStoreDB: ${status[error.code]}: ${error.details}`, error);

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
