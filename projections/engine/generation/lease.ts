import { hostname } from 'node:os';
import type { Database } from '../../../src/postgres/pool.js';
import { isDatabaseError } from '../../../src/postgres/sql-failure.js';
import { leaseLost } from '../engine-failure.js';
import { type Clock, repeat } from '../../../src/event-sourcing/clock.js';
import type { Random } from '../../../src/event-sourcing/random.js';

/**
 * The right to write one generation. A new holder gets a higher fencing number, and older ones can write nothing more.
 */
export type Lease = { readonly name: string; readonly holder: string; readonly fencing: string };

/**
 * How long a lease lasts without being renewed, by the database's clock. As short as it may be, because nobody projects
 * after a crash until it is over; and longer than a pause between two renewals while the database is silent for 2 s, so
 * that it does not go to another process then.
 */
export const LEASE_MS = 3_000;
const RENEW_MS = 500;

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
 * Takes the lease of a generation, or renews it for its holder. Undefined while another holds it, and when the
 * generation was dropped. `takeOver` takes it from another holder, who can then write nothing more.
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

/** A unique name that shows an operator which process it is. */
export const newHolder = (random: Random): string => `${hostname()}:${process.pid}:${random.bytes(4).toString('hex')}`;

/**
 * Renews a lease while `work` runs. The signal given to `work` aborts with `signal`, and with `LeaseLost` when another
 * has taken the lease. Does not release it: see `releaseLease`.
 */
export const whileHeld = async <A>(
  clock: Clock,
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
      // nobody can take the lease while the database is away, and every write checks that it is still held
      if (!isDatabaseError(error)) over.abort(error);
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

/** Lets the next holder begin at once. When the database is away, the lease expires instead. */
export const releaseLease = async (database: Database, { name, holder }: Lease): Promise<void> => {
  // the row is not deleted, because fencing numbers must never repeat
  const text = `update read_model.lease set expires_at = '-infinity' where name = $1 and holder = $2`;
  try {
    await database.query(text, [name, holder]);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
  }
};
