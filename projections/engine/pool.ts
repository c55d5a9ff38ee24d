import pg, { type Pool } from 'pg';

type PoolLimits = {
  readonly connections: number;
  readonly name: string;
  /** A database that is silent is as bad as one that is gone. */
  readonly connectMs: number;
  /** For each answer; none for connections that stream at their reader's pace. */
  readonly answerMs?: number;
};

/** A pool whose broken connections are errors of the queries that meet them, and of nothing else. */
export const makePool = (connectionString: string, { connections, name, connectMs, answerMs }: PoolLimits): Pool => {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectMs,
    ...(answerMs === undefined ? {} : { query_timeout: answerMs }),
    keepAlive: true,
    application_name: name,
  });
  // without a listener the loss of an idle connection, or of one between two queries, would end the process
  const replaceLater = (): void => undefined;
  pool.on('error', replaceLater);
  pool.on('connect', (client) => client.on('error', replaceLater));
  return pool;
};
