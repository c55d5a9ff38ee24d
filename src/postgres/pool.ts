import pg, { type Pool } from 'pg';

/** What runs SQL: a pool, or one of its connections inside a transaction. */
export type Database = Pick<Pool, 'query'>;

export type PoolOptions = {
  readonly connectionString: string;
  /** Shown by the server beside each connection (`application_name`). */
  readonly name: string;
  readonly connections: number;
  /** A server that is silent is as bad as one that is gone, ms. */
  readonly connectMs: number;
  /** For each query, ms; none for connections that stream at their reader's pace. */
  readonly queryMs?: number;
  /** What a new connection needs before its first use. */
  readonly prepare?: (client: pg.ClientBase) => Promise<void>;
  /** Told when an idle connection is lost. */
  readonly onLost?: (cause: Error) => void;
};

/** A pool whose broken connections are errors of the queries that meet them, and of nothing else. */
export const makePool = (options: PoolOptions): Pool => {
  const { connectionString, name, connections, connectMs, queryMs, prepare, onLost = () => undefined } = options;
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: name,
    ...(queryMs === undefined ? {} : { query_timeout: queryMs }),
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the driver awaits it, its types do not say so
    ...(prepare === undefined ? {} : { onConnect: prepare }),
  });
  // without a listener the loss of an idle connection, or of one between two queries, would end the process
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};
