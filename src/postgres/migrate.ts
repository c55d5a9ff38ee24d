import type { Pool } from 'pg';
import type { Database } from './pool.js';
import { inTransaction, lockUntilCommit } from './transaction.js';

/**
 * The tables of one schema, as steps that are taken in order. A released step is never edited; a change is a new step.
 */
export type VersionedSchema = {
  /** Any number that no other lock of the database uses. */
  readonly lock: bigint;
  /** Table of one row whose column `version` says how many steps have been taken. */
  readonly versionTable: string;
  /** Makes that table and its row, with version 0, where they are missing. */
  readonly prepare: string;
  readonly steps: ReadonlyArray<string>;
  /** Whether a program may work on the schema of a newer one. Right only where each step does nothing but add. */
  readonly allowsNewer: boolean;
};

/** How a schema of this name keeps its version: in a table of its own. */
export const versionedIn = (schema: string): Pick<VersionedSchema, 'versionTable' | 'prepare'> => ({
  versionTable: `${schema}.schema_version`,
  prepare: `
    create schema if not exists ${schema};
    create table if not exists ${schema}.schema_version (
      only_row boolean primary key default true check (only_row),
      version integer not null
    );
    insert into ${schema}.schema_version (version) values (0) on conflict do nothing;`,
});

const versionOf = async (database: Database, { versionTable }: VersionedSchema): Promise<number> =>
  (await database.query<{ version: number }>(`select version from ${versionTable}`)).rows[0]?.version ?? 0;

/** Whether the tables of a schema are there, of whatever version. */
export const isCreated = async (
  database: Database,
  { versionTable }: Pick<VersionedSchema, 'versionTable'>,
): Promise<boolean> => {
  const { rowCount } = await database.query(`select where to_regclass($1) is not null`, [versionTable]);
  return rowCount !== 0;
};

const isMigrated = async (database: Database, schema: VersionedSchema): Promise<boolean> => {
  if (!(await isCreated(database, schema))) return false;
  const version = await versionOf(database, schema);
  return version === schema.steps.length || (schema.allowsNewer && version > schema.steps.length);
};

/**
 * Brings a schema to this program's version, in one transaction; processes that start together wait for each other.
 * Rejects for a newer version unless `allowsNewer`. Needs no rights to create anything when nothing is to be done.
 */
export const migrate = async (pool: Pool, schema: VersionedSchema): Promise<void> => {
  if (await isMigrated(pool, schema)) return;
  const { lock, prepare, steps, versionTable, allowsNewer } = schema;
  await inTransaction(pool, async (client) => {
    await lockUntilCommit(client, lock);
    // a session remembers that a schema was not there until it reads a table: another one may have made it meanwhile
    await client.query('select from pg_namespace limit 0');
    await client.query(prepare);
    const version = await versionOf(client, schema);
    if (version > steps.length && !allowsNewer)
      throw new Error(
        `${versionTable} has schema version ${version}, this program knows up to ${steps.length}: a newer version of it ` +
          'has changed the tables. Start that version; the way back is `ops restore` of a backup from before the ' +
          'upgrade, into a new installation (docs/production.md, Upgrade)',
      );
    for (const step of steps.slice(version)) await client.query(step);
    await client.query(`update ${versionTable} set version = greatest(version, $1)`, [steps.length]);
  });
};
