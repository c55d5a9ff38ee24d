import type { Pool } from 'pg';
import { migrate, type VersionedSchema, versionedIn } from '../../postgres/migrate.js';
import { unlessNoTable } from '../../postgres/sql-failure.js';

/**
 * When each log was last backed up whole. Backups go elsewhere, and other machines make them: here every process of the
 * service finds it. It is a record for monitoring alone; nothing is derived from it, and no hash or signature covers it.
 */
const backupSchema: VersionedSchema = {
  lock: 7_310_485_199n,
  ...versionedIn('backup'),
  steps: [
    `create table backup.newest (
       log text primary key,
       completed_at timestamptz not null,
       events bigint not null
     );`,
  ],
  allowsNewer: true,
};

/** Migrates the record of backups to this program's version; several processes may call it at once. */
export const migrateBackups = (pool: Pool): Promise<void> => migrate(pool, backupSchema);

/** Records that a backup of the log has just been completed, by the clock of the database, which all share. Rejects where the role may not. */
export const recordBackup = async (
  pool: Pool,
  { log, events }: { readonly log: string; readonly events: number },
): Promise<void> => {
  await migrateBackups(pool);
  await pool.query(
    `insert into backup.newest (log, completed_at, events) values ($1, now(), $2)
     on conflict (log) do update set completed_at = excluded.completed_at, events = excluded.events`,
    [log, events],
  );
};

/** When the log was last backed up, in seconds since 1970; undefined when it never was. Rejects when that cannot be read. */
export const findLastBackup = (pool: Pool, log: string): Promise<number | undefined> =>
  unlessNoTable(async () => {
    const { rows } = await pool.query<{ readonly seconds: number }>(
      'select extract(epoch from completed_at)::float8 as seconds from backup.newest where log = $1',
      [log],
    );
    return rows[0]?.seconds;
  }, undefined);
