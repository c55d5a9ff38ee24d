import type { Random } from '../../../src/event-sourcing/random.js';
import type { Database } from '../../../src/postgres/pool.js';
import type { Projection } from '../../projection.js';
import { type Generation, tableOf } from '../generation/generation.js';
import { nextIds } from './verify-rows.js';

/** Events of the ledger that are looked through at once for records that have no row. */
const EVENTS_AT_ONCE = 2_000;

/** How far a round has come: first the rows of a read model, by id, then the records that the ledger knows, by index. */
type Place =
  | { readonly of: number; readonly among: 'rows'; readonly after: string | undefined }
  | { readonly of: number; readonly among: 'ledger'; readonly after: bigint };

type DriftRounds = {
  /** The read model whose records come next. */
  readonly current: () => Projection;
  /** The records that come next, at most so many of them; none where nothing is to be compared in this part. */
  readonly next: (
    rows: { readonly database: Database; readonly generation: Generation },
    limit: number,
  ) => Promise<ReadonlyArray<string>>;
  /** Leaves out the rest of the current read model. */
  readonly skip: () => void;
  /** How many rounds are over. */
  readonly ended: () => number;
};

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** Records among some events of the ledger that have no row, and the index of the last of these events. */
const withoutRow = async (
  database: Database,
  { table, ledger, category }: { readonly table: string; readonly ledger: string; readonly category: string },
  after: bigint,
): Promise<{ readonly ids: ReadonlyArray<string>; readonly last: bigint | undefined }> => {
  const { rows } = await database.query<{ ids: ReadonlyArray<string>; last: string | null }>(
    `with part as (
       select idx, case when category = $1 and revision = 0 and entity ~ '${UUID}' then entity::uuid end as id
       from read_model.${ledger} where idx > $2 order by idx limit ${EVENTS_AT_ONCE}
     )
     select array(select id::text from part where id is not null and not exists (select from ${table} t where t.id = part.id)) as ids,
       (select max(idx) from part) as last`,
    [category, after.toString()],
  );
  const [found] = rows;
  return { ids: found?.ids ?? [], last: typeof found?.last === 'string' ? BigInt(found.last) : undefined };
};

/**
 * The id of the first row behind so much of a table (0 to 1); none where no row is there. An id that is drawn would not do:
 * those of the rows begin with the time at which they were made, and nearly all others are larger.
 */
const idBehind = async (database: Database, table: string, share: number): Promise<string | undefined> => {
  const text = `select id::text from ${table} where ctid >= (
      select format('(%s,0)', floor($1::float8 * pg_relation_size($2) / current_setting('block_size')::int)::bigint)::tid
    ) limit 1`;
  const { rows } = await database.query<{ id: string }>(text, [share, table]);
  return rows[0]?.id;
};

/**
 * Goes round all records of the read models again and again: the rows there are, beginning at a random one, and the records
 * that the ledger has and that have no row.
 */
export const makeDriftRounds = (
  random: Random,
  projections: ReadonlyArray<Projection>,
  ledger: string,
): DriftRounds => {
  let place: Place = { of: 0, among: 'rows', after: undefined };
  let hasBegun = false;
  let waiting: ReadonlyArray<string> = [];
  let ended = 0;

  const current = (): Projection => {
    const projection = projections[place.of % projections.length];
    if (projection === undefined) throw new Error('there is no read model to compare');
    return projection;
  };
  const skip = (): void => {
    place = { of: (place.of + 1) % projections.length, among: 'rows', after: undefined };
    waiting = [];
    if (place.of === 0) ended += 1;
  };

  /** Moves on before anything is compared: what cannot be read must not hold up the others. */
  const find: DriftRounds['next'] = async ({ database, generation }, limit) => {
    const table = tableOf(generation);
    if (place.among === 'rows') {
      const after = hasBegun ? place.after : await idBehind(database, table, random.fraction());
      hasBegun = true;
      const ids = await nextIds({ database, generation }, after, limit);
      const last = ids.at(-1);
      place = last === undefined ? { of: place.of, among: 'ledger', after: -1n } : { ...place, after: last };
      return ids;
    }
    const { ids, last } = await withoutRow(database, { table, ledger, category: current().category }, place.after);
    if (last === undefined) skip();
    else place = { ...place, after: last };
    return ids;
  };

  return {
    current,
    skip,
    ended: () => ended,
    next: async (rows, limit) => {
      if (waiting.length === 0) waiting = await find(rows, limit);
      const ids = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      return ids;
    },
  };
};
