import type { Pool } from 'pg';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { runIn, type RunStatement } from '../../../postgres/statement.js';
import type { ArchiveNotes } from '../../../sealing/noting-archive.js';
import type { NotedCheckpoints } from '../../../sealing/noted-check.js';
import { makeSealMigration } from './schema.js';

/** Sizes that are read at once. */
const PAGE = 10_000;

const NOT_NOTED =
  'Postgres took the note of a checkpoint and does not have it: look at the triggers and rules of seal.archived';

const readSizes = async (run: RunStatement, origin: string, storage: string): Promise<ReadonlyArray<number>> => {
  const text = `select distinct size from seal.archived where origin = $1 and storage = $2 and size > $3::bigint
    order by size limit ${PAGE}`;
  const sizes: Array<number> = [];
  for (;;) {
    const values = [origin, storage, String(sizes.at(-1) ?? -1)];
    const rows = await run({ name: 'noted checkpoints', text, values });
    for (const [size] of rows) sizes.push(Number(size));
    if (rows.length < PAGE) return sizes;
  }
};

/**
 * What Postgres has noted of the checkpoints of an origin that were put into a storage of files; nothing before the first one.
 * Rejects with what the database throws.
 */
export const makeFindNoted = (pool: Pool, storage: string) => {
  const run = runIn(pool);
  const read = async (origin: string): Promise<NotedCheckpoints> => {
    const sizes = await readSizes(run, origin, storage);
    const text = 'select count(distinct size) from seal.archived where origin = $1 and storage <> $2';
    const [[elsewhere] = []] = await run({ name: 'checkpoints noted elsewhere', text, values: [origin, storage] });
    return { origin, sizes, elsewhere: Number(elsewhere ?? 0) };
  };
  return (origin: string): Promise<NotedCheckpoints> =>
    unlessNoTable(() => read(origin), { origin, sizes: [], elsewhere: 0 });
};

/** Notes in Postgres what is put into a storage of files. Makes the table where it is missing. */
export const makeArchiveNotes = (pool: Pool, storage: string): ArchiveNotes => {
  const run = runIn(pool);
  const migrated = makeSealMigration(pool);
  return {
    note: async ({ origin, size }) => {
      await migrated();
      const text = `insert into seal.archived (origin, size, storage) select $1, $2::bigint, $3
        where not exists (select from seal.archived where origin = $1 and size = $2::bigint and storage = $3)`;
      const values = [origin, String(size), storage];
      await run({ name: 'note a checkpoint', text, values });
      const kept = 'select from seal.archived where origin = $1 and size = $2::bigint and storage = $3 limit 1';
      const { length } = await run({ name: 'noted checkpoint', text: kept, values });
      if (length === 0) throw new Error(NOT_NOTED);
    },
    largestOf: async (origin) => {
      await migrated();
      const text = 'select max(size) from seal.archived where origin = $1 and storage = $2';
      const [[size] = []] = await run({ name: 'largest noted checkpoint', text, values: [origin, storage] });
      return typeof size === 'string' ? Number(size) : undefined;
    },
  };
};
