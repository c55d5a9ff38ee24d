import pg from 'pg';
import { user } from './cluster.js';

/** Where a server of ours listens, and the password of its superuser. The host is always the loopback interface. */
export type Address = { readonly port: number; readonly password: string };

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000; // our statements are short, but the disk may be slow

/**
 * For a connection that takes nothing from the environment: of each PG* variable that the driver would obey in place of
 * what is left out, it says what holds.
 */
export const connectionString = ({ port, password }: Address, database: string = user): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}` +
  '?sslmode=disable&sslnegotiation=postgres&replication=false&options=-c%20client_encoding=UTF8';

/** A client that is not connected yet. When its connection is lost it emits 'end', and 'error' goes unnoticed. */
export const clientFor = (address: Address, database: string, name: string): pg.Client => {
  const client = new pg.Client({
    connectionString: connectionString(address, database),
    application_name: name,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
  });
  client.on('error', () => undefined); // without a listener it would end the process
  return client;
};

/** Runs `work` on a connection of its own. */
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
