import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { makeAddReads } from '../../infrastructure/postgres/access/add-reads.js';
import { configuredDatabase, openDatabase, type OpenLog } from '../../infrastructure/open-stores.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import type { AccessRecord } from '../../read/access/access-record.js';
import { makeCommandPool } from '../command-pool.js';
import { printNote } from '../output.js';

/** Of the read models, where the log is in none; closed by whoever opens it. */
const openOwn = async (config: Config) => {
  const opened = await openDatabase(configuredDatabase(config), {
    ...{ runtime: systemRuntime, processKind: 'operator', mustExist: true },
    onPostgresLog: printNote,
  });
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  return opened.right;
};

/** How long a command waits for its row, ms. */
const LONGEST_MS = 10_000;

const keepOpen = (): Promise<void> => Promise.resolve();

/** Adds to the record of reads for a command that opens a log alone: in the database of the log, or of the read models. */
export const addReadsBeside =
  (config: Config, { database }: Pick<OpenLog, 'database'>): AccessRecord['add'] =>
  async (reads) => {
    const { url, close } = database === undefined ? await openOwn(config) : { ...database, close: keepOpen };
    const pool = makeCommandPool(url, 'ops', 1, LONGEST_MS);
    try {
      await makeAddReads(pool)(reads);
    } finally {
      await pool.end();
      await close();
    }
  };
