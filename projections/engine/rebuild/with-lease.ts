import type { Pool } from 'pg';
import { Deposed, keepLease, type Lease, releaseLease } from '../instance/lease.js';

/** Keeps a lease for the time that `work` takes; its signal aborts with `Deposed` when the lease is lost. */
export const withLease = async <A>(
  pool: Pool,
  lease: Lease,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  const keeping = keepLease(pool, lease, () => over.abort(new Deposed(lease.name)), ends);
  try {
    return await work(ends);
  } finally {
    over.abort();
    await keeping;
    await releaseLease(pool, lease).catch(() => undefined);
  }
};
