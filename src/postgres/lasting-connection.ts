import { Socket } from 'node:net';
import pg from 'pg';

/** One connection that is opened when it is needed, and again after it was lost. Not for concurrent callers. */
export type LastingConnection = {
  /** The open connection, opened now if need be. Rejects when that fails or takes longer than `ms`. */
  readonly open: (ms?: number) => Promise<pg.Client>;
  readonly isOpen: () => boolean;
  /** Cuts the connection, whatever runs on it; the next `open` makes a new one. */
  readonly drop: () => void;
  readonly close: () => Promise<void>;
};

type LastingConnectionOptions = {
  readonly config: pg.ClientConfig;
  /** What a new connection needs before its first use. */
  readonly prepare: (client: pg.Client) => Promise<void>;
  /** Told when an open connection is lost; the cause is unknown when the server only ended it. */
  readonly onLost: (cause: Error | undefined) => void;
};

/** How long a server may take to end a connection in order, ms. */
const END_TIMEOUT = 1_000;

type Opened = { readonly client: pg.Client; readonly socket: Socket };

export const makeLastingConnection = (options: LastingConnectionOptions): LastingConnection => {
  const { config, prepare, onLost } = options;
  let current: Opened | undefined;

  const lost = (opened: Opened, cause: Error | undefined): void => {
    opened.socket.destroy();
    if (current !== opened) return;
    current = undefined;
    onLost(cause);
  };

  const connect = async (ms: number | undefined): Promise<pg.Client> => {
    const socket = new Socket();
    const timeout = ms === undefined ? {} : { connectionTimeoutMillis: ms };
    const client = new pg.Client({ ...config, ...timeout, stream: () => socket });
    const opened = { client, socket };
    client.on('error', (error) => lost(opened, error));
    client.on('end', () => lost(opened, undefined));
    try {
      await client.connect();
      await prepare(client);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    current = opened;
    return client;
  };

  /** What is open, forgotten: `onLost` does not hear of its end. */
  const forget = (): Opened | undefined => {
    const opened = current;
    current = undefined;
    return opened;
  };

  return {
    open: async (ms) => current?.client ?? connect(ms),
    isOpen: () => current !== undefined,
    drop: () => {
      forget()?.socket.destroy();
    },
    close: async () => {
      const opened = forget();
      if (opened === undefined) return;
      const overdue = setTimeout(() => opened.socket.destroy(), END_TIMEOUT);
      await opened.client.end();
      clearTimeout(overdue);
    },
  };
};
