import type pg from 'pg';
import { pause } from '../event-sourcing/pause.js';
import { makeLastingConnection } from './lasting-connection.js';

type ListenOptions = {
  readonly config: pg.ClientConfig;
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Told when the connection is lost. */
  readonly onLost: (cause: Error | undefined) => void;
  /** Told when it cannot be opened. */
  readonly onFailed: (cause: unknown) => void;
  /** Runs after each check that the connection is there; may reject, which `onFailed` hears. */
  readonly afterCheck?: () => Promise<void>;
};

/** How often a listening connection is checked, and opened anew where it is lost, ms; drawn from half of it up. */
const CHECK_MS = 1_000;

/**
 * Hears the notifications of a channel on one connection, which is opened again whenever it is lost, until `signal`
 * aborts. What is sent while it is lost goes unheard: whoever depends on it polls as well. Never rejects.
 */
export const listen = async (
  { config, channel, onNotification, onLost, onFailed, afterCheck }: ListenOptions,
  signal: AbortSignal,
): Promise<void> => {
  const listener = makeLastingConnection({
    config,
    prepare: async (client) => {
      client.on('notification', ({ payload = '' }) => onNotification(payload));
      await client.query(`listen ${channel}`);
    },
    onLost,
  });
  while (!signal.aborted) {
    try {
      await listener.open();
      await afterCheck?.();
    } catch (cause) {
      onFailed(cause);
    }
    await pause(CHECK_MS * (0.5 + Math.random() / 2), signal);
  }
  await listener.close();
};
