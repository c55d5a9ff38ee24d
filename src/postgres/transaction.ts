import type { either as E } from 'fp-ts';
import type { Pool, PoolClient } from 'pg';

const isLeft = (result: unknown): result is E.Left<unknown> =>
  typeof result === 'object' && result !== null && '_tag' in result && result._tag === 'Left';

/**
 * Runs `work` in one transaction. A `Left`, an error and a failed commit leave nothing behind: they end the connection,
 * and with it the transaction, in whatever state it is.
 */
export const inTransaction = async <A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> => {
  const client = await pool.connect();
  let isCommitted = false;
  try {
    await client.query('begin');
    const result = await work(client);
    if (isLeft(result)) return result;
    await client.query('commit');
    isCommitted = true;
    return result;
  } finally {
    client.release(!isCommitted);
  }
};

/** Locks for the other processes that take the same number, until the transaction ends. */
export const lockUntilCommit = async (client: PoolClient, lock: bigint): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [lock.toString()]);
};
