import type { Database } from '../../../src/postgres/pool.js';
import type { Generation } from '../generation/generation.js';
import { tableOf } from './schema/table.js';

type Named = Pick<Generation, 'name'>;

/** How a record ends that has neither data nor a reason (`eventJson` in src/read/event-view.ts). */
const HAS_NOTHING = String.raw`~ '"data":(\{\}|null)\}$'`;

/**
 * Whether rows of a ledger have the data of events that others know without: it was taken out of the log since, and these
 * rows are what is left of it. Their leaf is the same, because the hash of an event does not have its data in it.
 */
export const holdsMore = async (database: Database, rows: Named, than: Named): Promise<boolean> => {
  const { rowCount } = await database.query(
    `select from ${tableOf(rows)} p join ${tableOf(than)} l using (idx)
     where p.leaf = l.leaf and l.body ${HAS_NOTHING} and not p.body ${HAS_NOTHING} limit 1`,
  );
  return rowCount !== 0;
};
