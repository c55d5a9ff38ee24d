import { type Clock, repeat } from '../../../src/event-sourcing/clock.js';
import { isTransient, leaseLost } from '../engine-failure.js';
import type { ReadModelStorage } from '../storage.js';
import type { Lease } from './lease.js';

/** Less than `LEASE_MS`. */
const RENEW_MS = 500;

/**
 * Renews a lease while `work` runs. The signal given to `work` aborts with `signal`, and with `LeaseLost` when another
 * has taken the lease. Does not release it: see `release` of the storage.
 */
export const whileHeld = async <A>(
  clock: Clock,
  storage: Pick<ReadModelStorage, 'acquire'>,
  lease: Lease,
  signal: AbortSignal,
  work: (held: AbortSignal) => Promise<A>,
): Promise<A> => {
  const over = new AbortController();
  const held = AbortSignal.any([signal, over.signal]);
  const { name, holder, fencing } = lease;
  const renew = async (): Promise<void> => {
    try {
      const renewed = await storage.acquire(name, holder, false);
      if (renewed?.fencing !== fencing) over.abort(leaseLost(name));
    } catch (error) {
      // nobody can take the lease while the storage is away, and every write checks that it is still held
      if (!isTransient(error)) over.abort(error);
    }
  };
  const renewing = repeat(clock, RENEW_MS, held, renew);
  try {
    return await work(held);
  } finally {
    over.abort();
    await renewing;
  }
};
