import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../../../src/postgres/pool.js';
import { isDatabaseError } from '../../../src/postgres/sql-failure.js';
import { leaseLost } from '../engine-failure.js';
import { repeat } from '../run-task.js';

/** The right to write one generation. A new holder gets a higher fencing number; older ones then write nothing. */
export type Lease = { readonly name: string; readonly holder: string; readonly fencing: string };

/** A holder that does not renew for so long has lost its lease, by the database's clock. */
export const LEASE_MS = 5_000;
const RENEW_MS = 1_500;

const ACQUIRE = `
insert into read_model.lease as l (name, holder, fencing, expires_at)
select table_name, $2, 1, clock_timestamp() + $3 * interval '1 ms' from read_model.instance where table_name = $1
on conflict (name) do update set
  holder = excluded.holder,
  fencing = l.fencing + (l.holder <> excluded.holder)::int,
  expires_at = excluded.expires_at
where l.holder = excluded.holder or l.expires_at < clock_timestamp() or $4
returning fencing`;

/**
 * Takes the lease of a generation, or renews it for its holder; undefined while another holds it, and when the
 * generation has been dropped. With `takeOver` it does not wait for another holder: right only where the caller knows
 * that no other process runs.
 */
export const acquireLease = async (
  database: Database,
  name: string,
  holder: string,
  takeOver: boolean,
): Promise<Lease | undefined> => {
  const values = [name, holder, LEASE_MS, takeOver];
  const { rows } = await database.query<{ fencing: string }>({ name: 'acquire lease', text: ACQUIRE, values });
  const [row] = rows;
  return row && { name, holder, fencing: row.fencing };
};

/** Never the same twice; tells a person where to look. */
export const newHolder = (): string => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/**
 * Renews a lease for the time that `work` takes. The signal that `work` is given aborts with `signal`, and with
 * `LeaseLost` as soon as another has the lease. The lease is not released: see `releaseLease`.
 */
export const whileHeld = async <A>(
  database: Database,
  lease: Lease,
  signal: AbortSignal,
  work: (held: AbortSignal) => Promise<A>,
): Promise<A> => {
  const over = new AbortController();
  const held = AbortSignal.any([signal, over.signal]);
  const { name, holder, fencing } = lease;
  const renew = async (): Promise<void> => {
    try {
      const renewed = await acquireLease(database, name, holder, false);
      if (renewed?.fencing !== fencing) over.abort(leaseLost(name));
    } catch (error) {
      // while the database is away nobody can take the lease, and every write asks whether it still stands
      if (!isDatabaseError(error)) over.abort(error);
    }
  };
  const renewing = repeat(RENEW_MS, held, renew);
  try {
    return await work(held);
  } finally {
    over.abort();
    await renewing;
  }
};

/** Lets the next holder begin at once; left to expire when the database is away. */
export const releaseLease = async (database: Database, { name, holder }: Lease): Promise<void> => {
  // the row stays: the fencing number must go on growing
  const text = `update read_model.lease set expires_at = '-infinity' where name = $1 and holder = $2`;
  try {
    await database.query(text, [name, holder]);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
  }
};
