import type { either as E } from 'fp-ts';
import type { Pool, PoolClient } from 'pg';

const isLeft = (result: unknown): result is E.Left<unknown> =>
  typeof result === 'object' && result !== null && '_tag' in result && result._tag === 'Left';

/**
 * Runs `work` in one transaction. When it gives a `Left`, when it throws and when the commit fails, the connection is
 * closed, which rolls everything back.
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

/** Takes an advisory lock until the transaction ends; others that take the same number wait. */
export const lockUntilCommit = async (client: PoolClient, lock: bigint): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [lock.toString()]);
};
