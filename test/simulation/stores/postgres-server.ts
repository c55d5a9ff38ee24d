import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbedded } from '../../support/embedded-postgres.js';

/** Nothing of it is to survive a crash. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

/** A Postgres of its own for as long as the work takes, in which each process of a run makes a database. */
export const withPostgres = async <A>(work: (connectionString: string) => Promise<A>): Promise<A> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'simulated-'));
  try {
    const { connectionString, stop } = await openEmbedded(dataDir, { settings: SETTINGS });
    try {
      return await work(connectionString);
    } finally {
      await stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};
