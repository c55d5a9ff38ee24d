import type pg from 'pg';
import { makePool } from './pool.js';
import { isProtocolViolation } from './sql-failure.js';

/** A pooler takes another session of the server for each transaction. */
class SharedSessions extends Error {
  constructor() {
    super(
      'a pooler gives each transaction another session of the server, and prepared statements, settings, ' +
        'locks and notifications belong to a session: set it to session mode, or connect to the server itself',
    );
  }
}

const ROUNDS = 3;

const backendOf = async (client: pg.ClientBase): Promise<unknown> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

/** While a transaction of the other one has a session, ours is still the one that it was. */
const keepsItsSession = async (ours: pg.ClientBase, other: pg.ClientBase): Promise<boolean> => {
  const before = await backendOf(ours);
  await other.query('begin').catch((cause: unknown) => {
    throw isProtocolViolation(cause) ? new SharedSessions() : cause; // PgBouncer's statement mode takes no transactions
  });
  // the second question is not asked of a pooler that has lent our session to the other: it may have no more
  const isKept = (await backendOf(other)) !== before && (await backendOf(ours)) === before;
  await other.query('commit');
  return isKept;
};

/**
 * Connects twice, and rejects when that fails, when it takes longer than `ms`, and when the connections do not keep
 * their sessions.
 */
export const requireSessions = async (connectionString: string, ms: number): Promise<void> => {
  const pool = makePool({ connectionString, name: 'session-check', connections: 2, connectMs: ms, queryMs: ms });
  const clients: Array<pg.PoolClient> = [];
  try {
    for (let missing = 2; missing > 0; missing -= 1) clients.push(await pool.connect());
    const [ours, other] = clients;
    for (let round = 0; ours !== undefined && other !== undefined && round < ROUNDS; round += 1)
      if (!(await keepsItsSession(ours, other))) throw new SharedSessions();
  } finally {
    for (const client of clients) client.release(true);
    await pool.end();
  }
};
