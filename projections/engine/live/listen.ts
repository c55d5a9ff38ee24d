import { once } from 'node:events';
import { Client } from 'pg';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { repeat } from '../repeat.js';
import { CHANNEL } from '../write-batch.js';

const RECONNECT_MS = 1_000;
const CONNECT_MS = 2_000;

const parse = (payload: string): readonly [name: string, commit: Position] | undefined => {
  const [, name, commit] = /^(\w+) (\d+)$/.exec(payload) ?? [];
  return name === undefined || commit === undefined ? undefined : [name, BigInt(commit)];
};

/**
 * Hears how far other processes have brought the live rows, on one connection that is made anew whenever it is lost.
 * What is told meanwhile goes unheard: the one who waits also asks. Ends when `signal` aborts.
 */
export const listen = (
  connectionString: string,
  hear: (name: string, commit: Position) => void,
  signal: AbortSignal,
): Promise<void> =>
  repeat(RECONNECT_MS, signal, async () => {
    const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true });
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      const told = parse(payload ?? '');
      if (told !== undefined) hear(...told);
    });
    try {
      const gone = once(client, 'end', { signal });
      gone.catch(() => undefined);
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      await gone;
    } catch {
      // the database is away, or we are asked to stop
    } finally {
      await client.end().catch(() => undefined);
    }
  });
