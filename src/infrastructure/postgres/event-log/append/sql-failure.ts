import pg from 'pg';

/**
 * What a failed statement means for the one who sent it:
 * - `Refused`: the values were refused and nothing was stored; they will be refused again.
 * - `Lost`: the connection or its session is of no use any more and the outcome is unknown; a new one may succeed.
 * - `Unable`: the server answered that it cannot (disk full, no rights …) and nothing was stored.
 */
type SqlFailure = 'Refused' | 'Lost' | 'Unable';

/** Classes of SQLSTATE, https://www.postgresql.org/docs/17/errcodes-appendix.html */
const refused = new Set(['22', '23', '54']);
const lost = new Set(['08', '40']);
const lostCodes = new Set([
  '57P01', // the server is being stopped by its operator
  '57P02', // another backend crashed
  '57P03', // the server is starting
  '57P05', // idle session closed
  '25006', // read only: this server is no longer the primary
  '26000', // the prepared statement is gone: a pooler gave us another session
  '0A000', // the cached plan of a prepared statement no longer fits
]);

export const sqlFailureOf = (error: unknown): SqlFailure => {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return 'Lost';
  const { code } = error;
  if (lostCodes.has(code) || lost.has(code.slice(0, 2))) return 'Lost';
  return refused.has(code.slice(0, 2)) ? 'Refused' : 'Unable';
};
