import pg from 'pg';
import { user } from './cluster.js';

/** What a connection to a server of ours needs. */
export type Address = { readonly port: number; readonly password: string };

const connectLimit = 5_000; // ms
const statementLimit = 30_000; // ms; all of ours are short, but a disk may be slow

/**
 * A client that is not connected yet and does not listen to the environment.
 * An error on an idle connection ends it; whoever needs to know listens to 'end'.
 */
export const clientFor = ({ port, password }: Address, database: string, name: string): pg.Client => {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user,
    password,
    database,
    ssl: false,
    application_name: name,
    connectionTimeoutMillis: connectLimit,
    query_timeout: statementLimit,
  });
  client.on('error', () => undefined); // without a listener it would end the process
  return client;
};

/** Connects, works, disconnects. */
export const withClient = async <A>(
  address: Address,
  database: string,
  work: (client: pg.Client) => Promise<A>,
): Promise<A> => {
  const client = clientFor(address, database, 'embedded-postgres');
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

export const connectionString = ({ port, password }: Address): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${user}`;
