import type pg from 'pg';
import type { Runtime } from '../event-sourcing/runtime.js';
import { makeLastingConnection } from './lasting-connection.js';

type ListenOptions = {
  readonly runtime: Runtime;
  readonly config: pg.ClientConfig & { readonly connectionString: string };
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Called when the connection is lost. */
  readonly onLost: (cause: Error | undefined) => void;
  /** Called when it cannot be opened, or `afterCheck` rejects. */
  readonly onFailed: (cause: unknown) => void;
  /** Runs each time that the connection was found open. */
  readonly afterCheck?: () => Promise<void>;
};

/**
 * How often the connection is checked, and opened again when it is lost, ms: a random time from half of this up to
 * this.
 */
const CHECK_MS = 1_000;

/**
 * Listens for the notifications of a channel, until `signal` aborts, and opens its connection again whenever it is
 * lost. Notifications that are sent meanwhile are missed: a caller that depends on them must also poll. Never rejects.
 */
export const listen = async (
  { runtime: { clock, random }, config, channel, onNotification, onLost, onFailed, afterCheck }: ListenOptions,
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
    await clock.sleep(CHECK_MS * (0.5 + random.fraction() / 2), signal);
  }
  await listener.close();
};
