import type { Database } from '../../../src/postgres/pool.js';
import { isDatabaseError } from '../../../src/postgres/sql-failure.js';
import { type Lease, LEASE_MS } from '../generation/lease.js';

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

const HOLDS = 'select from read_model.lease where name = $1 and holder = $2 and fencing = $3::bigint for share';

/** Whether a lease is held; then nobody can take it until the transaction ends. */
export const holdsLease = async (database: Database, { name, holder, fencing }: Lease): Promise<boolean> =>
  (await database.query(HOLDS, [name, holder, fencing])).rowCount === 1;

// the writer of the replaced rows becomes that of the new ones, so that no third process can take the lease in between
const HAND_OVER = `
update read_model.lease as own
set holder = other.holder, fencing = own.fencing + 1, expires_at = other.expires_at
from read_model.lease as other
where own.name = $1 and own.holder = $2 and own.fencing = $3::bigint and other.name = $4`;

/** Gives a lease to the holder of that of another generation, for as long. */
export const handOverLease = async (
  database: Database,
  { name, holder, fencing }: Lease,
  to: string,
): Promise<void> => {
  await database.query(HAND_OVER, [name, holder, fencing, to]);
};
