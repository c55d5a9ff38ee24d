import type pg from 'pg';
import { user } from './cluster.js';
import { codeOf } from './embedded-postgres-error.js';

const alreadyThere = new Set(['42P04', '23505']); // made by another process in the same moment

/** Makes the database that the connection string names, unless it is there. */
export const ensureDatabase = async (client: pg.Client): Promise<void> => {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [user]);
  if (rowCount !== 0) return;
  // from template0, because nobody can be connected to it, which would forbid the copy
  await client.query(`CREATE DATABASE ${user} TEMPLATE template0`).catch((cause: unknown) => {
    if (!alreadyThere.has(codeOf(cause))) throw cause;
  });
};
