import pg from 'pg';
import type { OnIncident } from './incident.js';

/** One connection that is opened when it is needed, and again after it was lost. */
export type LastingConnection = {
  /** The open connection, opened now if need be. Throws when that fails or takes longer than its bound. */
  readonly open: () => Promise<pg.Client>;
  readonly isOpen: () => boolean;
  /** Cuts the connection, whatever runs on it; the next `open` makes a new one. */
  readonly drop: () => void;
  readonly close: () => Promise<void>;
};

export type LastingConnectionOptions = {
  readonly config: pg.ClientConfig;
  readonly name: 'writer' | 'listener';
  /** What a new connection needs before its first use. */
  readonly prepare: (client: pg.Client) => Promise<void>;
  readonly onIncident: OnIncident;
};

export const makeLastingConnection = (options: LastingConnectionOptions): LastingConnection => {
  const { config, name, prepare, onIncident } = options;
  let current: pg.Client | undefined;

  const end = (client: pg.Client): Promise<void> => client.end().catch(() => undefined);

  const lost = (client: pg.Client, cause: unknown): void => {
    if (current !== client) return;
    current = undefined;
    onIncident({ _tag: 'ConnectionLost', of: name, cause });
    void end(client);
  };

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(config);
    client.on('error', (error) => lost(client, error));
    client.on('end', () => lost(client, undefined));
    try {
      await client.connect();
      await prepare(client);
    } catch (error) {
      void end(client);
      throw error;
    }
    current = client;
    return client;
  };

  return {
    open: async () => current ?? connect(),
    isOpen: () => current !== undefined,
    drop: () => {
      if (current !== undefined) void end(current);
      current = undefined;
    },
    close: async () => {
      const last = current;
      current = undefined;
      if (last !== undefined) await end(last);
    },
  };
};
