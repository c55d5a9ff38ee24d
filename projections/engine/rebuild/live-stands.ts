import type { PoolClient } from 'pg';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import type { Instance } from '../instance/instance.js';
import { inTransaction, lockSchema } from '../schema.js';
import { isLockTimeout, LOCK_TIMEOUT } from '../instance/roles.js';
import type { Rebuilding } from './rebuilding.js';

/** For so long, at most, a write of the service waits at one attempt, ms: less than anybody notices. */
const STAND_MS = 300;
const ATTEMPTS = 200;
const BETWEEN_MS = 250;

export class NotLevel extends Error {
  constructor(instance: string) {
    super(
      `${instance} could not be brought level with the live rows: the log grows faster, or lists are read all along`,
    );
    this.name = 'NotLevel';
  }
}

const attempt = <State, Event extends DomainEvent, A>(
  { writer: { pool }, live: readLive, toLevel }: Rebuilding<State, Event>,
  work: (client: PoolClient, live: Instance | undefined) => Promise<A>,
): Promise<A | undefined> =>
  inTransaction(pool, async (client) => {
    await lockSchema(client);
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    const live = await readLive(client, 'for update');
    const isLevel = await toLevel(live, AbortSignal.timeout(STAND_MS));
    return isLevel ? work(client, live) : undefined;
  });

/**
 * Runs `work` in a transaction in which the live rows do not move and the instance shows exactly what they show. The
 * service's writes wait meanwhile, so `work` must be short. Throws `NotLevel` after many attempts.
 */
export const whileLiveStands = async <State, Event extends DomainEvent, A extends object>(
  rebuilding: Rebuilding<State, Event>,
  work: (client: PoolClient, live: Instance | undefined) => Promise<A>,
): Promise<A> => {
  const { writer, toLive, signal } = rebuilding;
  for (let tried = 0; tried < ATTEMPTS; tried += 1) {
    signal.throwIfAborted();
    // most of the way without being in anybody's way
    await toLive();
    try {
      const done = await attempt(rebuilding, work);
      if (done !== undefined) return done;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    await pause(BETWEEN_MS, signal);
  }
  throw new NotLevel(writer.instance.name);
};
