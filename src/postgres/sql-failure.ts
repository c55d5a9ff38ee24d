import pg from 'pg';

/**
 * What a failed statement means for its caller:
 * - `Rejected`: the server rejects a value, and nothing was stored; it will reject it again.
 * - `Lost`: the connection or its session is gone and the outcome is unknown; a new connection may succeed.
 * - `Unable`: the server answered that it cannot (disk full, no rights …) and nothing was stored.
 */
type SqlFailure = 'Rejected' | 'Lost' | 'Unable';

// SQLSTATE, https://www.postgresql.org/docs/17/errcodes-appendix.html: data exceptions, broken constraints, limits
const rejectedClasses = new Set(['22', '23', '54']);
const lostClasses = new Set(['08', '40']);
const lostCodes = new Set([
  '57P01', // the server is being stopped by its operator
  '57P02', // another backend crashed
  '57P03', // the server is starting
  '57P05', // idle session closed
  '25006', // read only: this server is no longer the primary
  '26000', // the prepared statement is gone: a pooler gave us another session
  '0A000', // the cached plan of a prepared statement no longer fits
]);
const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const INSUFFICIENT_PRIVILEGE = '42501';
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_FUNCTION = '42883';
const UNDEFINED_SCHEMA = '3F000';

export const sqlFailureOf = (error: unknown): SqlFailure => {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return 'Lost';
  const { code } = error;
  if (lostCodes.has(code) || lostClasses.has(code.slice(0, 2))) return 'Lost';
  return rejectedClasses.has(code.slice(0, 2)) ? 'Rejected' : 'Unable';
};

/** Whether the database rejects a value that was to be written, as opposed to being unable to write now. */
export const isRejected = (error: unknown): error is pg.DatabaseError => sqlFailureOf(error) === 'Rejected';

/** Whether somebody else held a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;

/** Whether the server ended a statement: after its `statement_timeout`, or because somebody told it to. */
export const isCanceled = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === QUERY_CANCELED;

/** Whether the role of the connection may not do what it was asked. */
export const isForbidden = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE;

/** Whether a statement names a table that does not exist. */
export const isUndefinedTable = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE;

/** Whether a statement names a function that does not exist, or its schema does not. */
export const isUndefinedFunction = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === UNDEFINED_FUNCTION || error.code === UNDEFINED_SCHEMA);

/** What a read gives; `none` where a table that it reads is not made yet. Rejects with every other error. */
export const unlessNoTable = async <A, None>(read: () => Promise<A>, none: None): Promise<A | None> => {
  try {
    return await read();
  } catch (error) {
    if (isUndefinedTable(error)) return none;
    throw error;
  }
};

/** Messages of the driver's plain errors when a connection is lost or cannot be opened. */
const LOST_CONNECTION =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded|Query read timeout|Cannot use a pool after)/;

/** Whether an error comes from the database or the way to it, as opposed to a fault of ours or of a file, which has a path. */
export const isDatabaseError = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError ||
  (error instanceof Error &&
    (('syscall' in error && !('path' in error)) ||
      error instanceof AggregateError ||
      LOST_CONNECTION.test(error.message)));

const PROTOCOL_VIOLATION = '08P01'; // PgBouncer says everything with it

/** Whether the server does not take what it was sent. */
export const isProtocolViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === PROTOCOL_VIOLATION;

/** What the system says where no server answers at an address, or not now. */
const NOBODY_THERE = new Set(
  ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'].concat([
    'ENOTFOUND',
    'EAI_AGAIN',
  ]),
);
const NOT_NOW = new Set([
  '25006', // read only, and something is to be written
  '53300', // no connection is free
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08006',
]);
const NO_SERVER_BEHIND_POOLER =
  /^(server conn crashed|server login has been failing|query_wait_timeout|pgbouncer cannot connect)/;

/**
 * Whether the server may work by itself later: nobody answers, it is starting, has no connection to spare or only reads.
 * A wrong password, name or certificate does not mend itself.
 */
export const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (error instanceof pg.DatabaseError)
    return NOT_NOW.has(error.code ?? '') || (isProtocolViolation(error) && NO_SERVER_BEHIND_POOLER.test(error.message));
  if (error instanceof AggregateError) return error.errors.every(isAway);
  const isMissingSocket = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  return NOBODY_THERE.has(String(code)) || isMissingSocket || LOST_CONNECTION.test(error.message);
};
