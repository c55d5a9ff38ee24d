import { Socket } from 'node:net';
import pg from 'pg';
import { connectMsOf, withCredentialsOfNow } from './connecting.js';
import { beginSession } from './session.js';

/** One connection, opened when it is first needed and again after it was lost. Not for concurrent callers. */
export type LastingConnection = {
  /**
   * The connection, opened now when it is not open. Rejects when that fails or takes longer than `ms`, or than the
   * connection string says.
   */
  readonly open: (ms?: number) => Promise<pg.Client>;
  /** The connection, when it is open. */
  readonly current: () => pg.Client | undefined;
  /** Destroys the connection and whatever runs on it; the next `open` makes a new one. */
  readonly drop: () => void;
  readonly close: () => Promise<void>;
};

type LastingConnectionOptions = {
  readonly config: pg.ClientConfig & { readonly connectionString: string };
  /** Runs on each new connection before its first use. */
  readonly prepare: (client: pg.Client) => Promise<void>;
  /** Called when an open connection is lost; without a cause when the server closed it without saying why. */
  readonly onLost: (cause: Error | undefined) => void;
};

/** How long a server may take to end a connection in order, ms. */
const END_TIMEOUT = 1_000;

type Opened = { readonly client: pg.Client; readonly socket: Socket };

export const makeLastingConnection = ({ config, prepare, onLost }: LastingConnectionOptions): LastingConnection => {
  let current: Opened | undefined;

  const lost = (opened: Opened, cause: Error | undefined): void => {
    opened.socket.destroy();
    if (current !== opened) return;
    current = undefined;
    onLost(cause);
  };

  const connect = async (ms: number | undefined): Promise<pg.Client> => {
    const socket = new Socket();
    const wanted = connectMsOf(config.connectionString) ?? ms;
    const timeout = wanted === undefined ? {} : { connectionTimeoutMillis: wanted };
    const connectionString = withCredentialsOfNow(config.connectionString);
    const client = new pg.Client({ ...config, ...timeout, connectionString, stream: () => socket });
    const opened = { client, socket };
    client.on('error', (error) => lost(opened, error));
    client.on('end', () => lost(opened, undefined));
    try {
      await client.connect();
      await beginSession(client);
      await prepare(client);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    current = opened;
    return client;
  };

  /** Forgets the connection, so that its end is not reported to `onLost`. */
  const forget = (): Opened | undefined => {
    const opened = current;
    current = undefined;
    return opened;
  };

  return {
    open: async (ms) => current?.client ?? connect(ms),
    current: () => current?.client,
    drop: () => void forget()?.socket.destroy(),
    close: async () => {
      const opened = forget();
      if (opened === undefined) return;
      opened.socket.setTimeout(END_TIMEOUT, () => opened.socket.destroy());
      await opened.client.end();
    },
  };
};
