import { Socket } from 'node:net';
import pg from 'pg';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';

/** One connection that is opened when it is needed, and again after it was lost. Not for concurrent callers. */
export type LastingConnection = {
  /** The open connection, opened now if need be. Throws when that fails or takes longer than `ms`. */
  readonly open: (ms?: number) => Promise<pg.Client>;
  readonly isOpen: () => boolean;
  /** Cuts the connection, whatever runs on it; the next `open` makes a new one. */
  readonly drop: () => void;
  readonly close: () => Promise<void>;
};

type LastingConnectionOptions = {
  readonly config: pg.ClientConfig;
  readonly name: 'writer' | 'listener';
  /** What a new connection needs before its first use. */
  readonly prepare: (client: pg.Client) => Promise<void>;
  readonly onConnectionEvent: OnConnectionEvent;
};

/** How long a server may take to say goodbye, ms. */
const PARTING = 1_000;

type Opened = { readonly client: pg.Client; readonly socket: Socket };

export const makeLastingConnection = (options: LastingConnectionOptions): LastingConnection => {
  const { config, name, prepare, onConnectionEvent } = options;
  let current: Opened | undefined;

  const lost = (opened: Opened, cause: unknown): void => {
    opened.socket.destroy();
    if (current !== opened) return;
    current = undefined;
    onConnectionEvent({ kind: 'connection-lost', connection: name, cause });
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

  /** What is open, forgotten: its end is no event. */
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
      const overdue = setTimeout(() => opened.socket.destroy(), PARTING);
      await opened.client.end();
      clearTimeout(overdue);
    },
  };
};
