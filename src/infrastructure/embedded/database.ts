import type pg from 'pg';
import { errorCode } from '../error-code.js';
import { user } from './cluster.js';

/** `duplicate_database`, `unique_violation`: another process has created it meanwhile. */
const alreadyExists = new Set(['42P04', '23505']);

/** Creates the database that the connection string names, if it does not exist. */
export const ensureDatabase = async (client: pg.Client): Promise<void> => {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [user]);
  if (rowCount !== 0) return;
  // not from template1: a connection to the template would make this fail, and template0 takes none
  await client.query(`CREATE DATABASE ${user} TEMPLATE template0`).catch((cause: unknown) => {
    if (!alreadyExists.has(errorCode(cause))) throw cause;
  });
};
