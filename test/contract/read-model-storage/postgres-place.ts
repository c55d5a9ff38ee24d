import { makePostgresStorage } from '../../../projections/engine/postgres/postgres-storage.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makePool } from '../../../src/postgres/pool.js';
import { freshDatabase } from '../../support/postgres.js';
import type { Place } from './storage-under-test.js';

const KEPT_SECONDS = 3_600;

// a lease of three seconds would be over in the middle of a test where the machine is busy
const KEEP_LEASES = `
create schema kept;
create function kept.longer() returns trigger language plpgsql as $$
begin
  if new.expires_at > clock_timestamp() and new.expires_at < clock_timestamp() + interval '1 minute' then
    new.expires_at := new.expires_at + interval '${KEPT_SECONDS} s';
  end if;
  return new;
end $$;
create trigger kept before insert or update on read_model.lease for each row execute function kept.longer();`;

const EXPIRE = `update read_model.lease set expires_at = clock_timestamp() - interval '1 ms'
  where name = $1 and expires_at > clock_timestamp()`;

const ACKNOWLEDGED = 'select position from read_model.acknowledged where projection = $1 and log_identity = $2';

/** A new database, and two processes with connections of their own. */
export const postgresPlace = async (): Promise<Place> => {
  const connectionString = await freshDatabase();
  const poolOf = (name: string) => makePool({ connectionString, name, connections: 6, connectMs: 30_000 });
  const [first, second, own] = [poolOf('one'), poolOf('other'), poolOf('suite')];
  const storageOn = (pool: typeof own) => makePostgresStorage({ runtime: systemRuntime, pool, connectionString });
  return {
    one: storageOn(first),
    other: storageOn(second),
    keepLeases: async () => {
      await own.query(KEEP_LEASES);
    },
    keptSeconds: KEPT_SECONDS,
    letLeaseExpire: async (name) => {
      await own.query(EXPIRE, [name]);
    },
    acknowledged: async (readModel, logIdentity) => {
      const { rows } = await own.query<{ position: string }>(ACKNOWLEDGED, [readModel, logIdentity]);
      return rows[0] && BigInt(rows[0].position);
    },
    whileLocked: async (readModel, work) => {
      const client = await own.connect();
      try {
        await client.query('begin');
        await client.query(`select from read_model.${readModel}`);
        const live = `select from read_model.instance where projection = $1 and role = 'live' for update`;
        await client.query(live, [readModel]);
        await work();
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
    close: async () => {
      await Promise.all([first, second, own].map((pool) => pool.end()));
    },
  };
};
