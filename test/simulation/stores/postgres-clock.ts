import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Pool } from 'pg';

/** What statements ask for the time by, and whether it changes within one. */
const FUNCTIONS = {
  clock_timestamp: 'volatile',
  now: 'stable',
  statement_timestamp: 'stable',
  transaction_timestamp: 'stable',
};

type PostgresClock = {
  /** Has statements find this time. */
  readonly set: (time: Date) => void;
  readonly remove: () => void;
};

/**
 * Gives a database a clock that stands still until it is set: the functions that tell the time have other names, and others
 * have theirs. They read a file, because that costs no statement. (The keyword `current_timestamp` asks no function.) The role
 * must be a superuser, and the server on this machine.
 */
export const takeClock = async (pool: Pool): Promise<PostgresClock> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'time-of-postgres-'));
  // the server may run under another account
  chmodSync(folder, 0o755);
  const file = path.join(folder, 'now');
  for (const [name, volatility] of Object.entries(FUNCTIONS)) {
    await pool.query(`alter function pg_catalog.${name}() rename to of_the_machine_${name}`);
    await pool.query(`create function pg_catalog.${name}() returns timestamptz language sql ${volatility} parallel safe
      as $$ select pg_catalog.pg_read_file('${file}')::pg_catalog.timestamptz $$`);
  }
  const descriptor = openSync(file, 'w', 0o644);
  let told = '';
  return {
    set: (time) => {
      const text = time.toISOString();
      // over the one before, which is as long
      if (text !== told) writeSync(descriptor, text, 0);
      told = text;
    },
    remove: () => {
      closeSync(descriptor);
      rmSync(folder, { recursive: true });
    },
  };
};
