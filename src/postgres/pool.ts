import pg, { type Pool } from 'pg';
import { connectMsOf, withCredentialsOfNow } from './connecting.js';
import { beginSession } from './session.js';

/** What runs SQL: a pool, or one of its connections inside a transaction. */
export type Database = Pick<Pool, 'query'>;

export type PoolOptions = {
  readonly connectionString: string;
  /** The `application_name` of its connections. */
  readonly name: string;
  readonly connections: number;
  /** How long opening a connection, or waiting for a free one, may take, ms, unless the connection string says it. */
  readonly connectMs: number;
  /** Time limit of each query, ms; none for connections that stream at their reader's pace. */
  readonly queryMs?: number;
  /** Time limit of each statement in the server, ms: it is ended there, and not only given up here. */
  readonly statementMs?: number;
  /** Runs on each new connection before its first use. */
  readonly prepare?: (client: pg.ClientBase) => Promise<void>;
  /** Called when an idle connection is lost. */
  readonly onLost?: (cause: Error) => void;
};

/** A pool in which a lost connection fails the queries that run on it, and never ends the process. */
export const makePool = (options: PoolOptions): Pool => {
  const {
    connectionString,
    name,
    connections,
    connectMs,
    queryMs,
    statementMs,
    prepare,
    onLost = () => undefined,
  } = options;
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: withCredentialsOfNow(connectionString) });
    }
  }
  const pool = new pg.Pool({
    Client,
    max: connections,
    connectionTimeoutMillis: connectMsOf(connectionString) ?? connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: name,
    ...(queryMs === undefined ? {} : { query_timeout: queryMs }),
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the driver awaits it, its types do not say so
    onConnect: async (client: pg.ClientBase) => {
      await beginSession(client, statementMs);
      await prepare?.(client);
    },
  });
  // without a listener the loss of an idle connection, or of one between two queries, would end the process
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};
