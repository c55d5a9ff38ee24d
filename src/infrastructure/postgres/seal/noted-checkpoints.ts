import type { readonlyNonEmptyArray as RNEA } from 'fp-ts';
import type { Pool } from 'pg';
import { textArray } from '../../../postgres/binary-array.js';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { runIn, type RunStatement } from '../../../postgres/statement.js';
import type { ArchiveNotes } from '../../../sealing/noting-archive.js';
import type { NotedCheckpoints } from '../../../sealing/noted-check.js';
import { makeSealMigration } from './schema.js';

/** Names where checkpoints are read. The first one is where they are put. */
export type CheckpointPlaces = RNEA.ReadonlyNonEmptyArray<string>;

/** Sizes that are read at once. */
const PAGE = 10_000;

const NOT_NOTED =
  'Postgres took the note of a checkpoint and does not have it: look at the triggers and rules of seal.archived';

const readSizes = async (run: RunStatement, origin: string, place: string): Promise<ReadonlyArray<number>> => {
  const text = `select distinct size from seal.archived where origin = $1 and storage = $2 and size > $3::bigint
    order by size limit ${PAGE}`;
  const sizes: Array<number> = [];
  for (;;) {
    const values = [origin, place, String(sizes.at(-1) ?? -1)];
    const rows = await run({ name: 'noted checkpoints', text, values });
    for (const [size] of rows) sizes.push(Number(size));
    if (rows.length < PAGE) return sizes;
  }
};

/** Asked one place after the other: the index has the sizes of one in their order. */
const readAllSizes = async (
  run: RunStatement,
  origin: string,
  places: CheckpointPlaces,
): Promise<ReadonlyArray<number>> => {
  const found: Array<ReadonlyArray<number>> = [];
  for (const place of places) found.push(await readSizes(run, origin, place));
  const sizes = Float64Array.from(found.flat()).sort();
  return Array.from(sizes.filter((size, index) => size !== sizes[index - 1]));
};

/**
 * What Postgres has noted of the checkpoints of an origin that were put into one of these places; nothing before the first one.
 * Rejects with what the database throws.
 */
export const makeFindNoted = (pool: Pool, places: CheckpointPlaces) => {
  const run = runIn(pool);
  const read = async (origin: string): Promise<NotedCheckpoints> => {
    const sizes = await readAllSizes(run, origin, places);
    const text = 'select count(distinct size) from seal.archived where origin = $1 and storage <> all($2::text[])';
    const [[elsewhere] = []] = await run({
      name: 'checkpoints noted elsewhere',
      text,
      values: [origin, textArray(places)],
    });
    return { origin, sizes, elsewhere: Number(elsewhere ?? 0) };
  };
  return (origin: string): Promise<NotedCheckpoints> =>
    unlessNoTable(() => read(origin), { origin, sizes: [], elsewhere: 0 });
};

/** Notes in Postgres what is put into the first of these places. Makes the table where it is missing. */
export const makeArchiveNotes = (pool: Pool, places: CheckpointPlaces): ArchiveNotes => {
  const run = runIn(pool);
  const migrated = makeSealMigration(pool);
  return {
    note: async ({ origin, size }) => {
      await migrated();
      const text = `insert into seal.archived (origin, size, storage) select $1, $2::bigint, $3
        where not exists (select from seal.archived where origin = $1 and size = $2::bigint and storage = $3)`;
      const values = [origin, String(size), places[0]];
      await run({ name: 'note a checkpoint', text, values });
      const kept = 'select from seal.archived where origin = $1 and size = $2::bigint and storage = $3 limit 1';
      const { length } = await run({ name: 'noted checkpoint', text: kept, values });
      if (length === 0) throw new Error(NOT_NOTED);
    },
    largestOf: async (origin) => {
      await migrated();
      const text = 'select max(size) from seal.archived where origin = $1 and storage = $2';
      let largest: number | undefined;
      for (const place of places) {
        const [[size] = []] = await run({ name: 'largest noted checkpoint', text, values: [origin, place] });
        if (typeof size === 'string') largest = Math.max(largest ?? 0, Number(size));
      }
      return largest;
    },
  };
};
