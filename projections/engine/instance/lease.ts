import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { Database } from '../schema.js';
import { repeat } from '../repeat.js';

/** The right to write one instance. A new holder gets a higher fencing number; older ones then write nothing. */
export type Lease = { readonly name: string; readonly holder: string; readonly fencing: string };

/** The lease was lost, or another moved the checkpoint: nothing was written, and nothing may be. */
export class Deposed extends Error {
  constructor(instance: string) {
    super(`another process writes ${instance}`);
    this.name = 'Deposed';
  }
}

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
 * Takes the lease of an instance, or renews it for its holder; undefined while another holds it, and when the instance
 * has been dropped. With `takeOver` no other is waited for: right only where the caller knows that no other process
 * runs.
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

/** Renews a lease until `signal` aborts; `lost` is called when another has taken it. */
export const keepLease = (
  database: Database,
  { name, holder, fencing }: Lease,
  lost: () => void,
  signal: AbortSignal,
): Promise<void> =>
  repeat(RENEW_MS, signal, async () => {
    try {
      const renewed = await acquireLease(database, name, holder, false);
      if (renewed?.fencing !== fencing) lost();
    } catch {
      // the database is away: whether the lease still stands is asked again, and by every write
    }
  });

/** Lets the next holder begin at once. */
export const releaseLease = async (database: Database, { name, holder }: Lease): Promise<void> => {
  // the row stays: the fencing number must go on growing
  const text = `update read_model.lease set expires_at = '-infinity' where name = $1 and holder = $2`;
  await database.query(text, [name, holder]);
};
