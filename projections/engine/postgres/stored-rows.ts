import type { Database } from '../../../src/postgres/pool.js';
import { unlessNoTable } from '../../../src/postgres/sql-failure.js';
import type { KeyColumn, Projection } from '../../projection.js';
import type { Generation } from '../generation/generation.js';
import type { TextRow } from '../rows/differing-fields.js';
import type { RowRange, RowSnapshot, StoredRows } from '../storage.js';
import { BASE_COLUMNS, tableOf } from './schema/table.js';

const ELEMENT = String.raw`'"' || replace(replace(e, '\', '\\'), '"', '\"') || '"'`;

/** The column as text in the form of `cellOf`. */
const textOf = ({ name, type }: Pick<KeyColumn, 'name' | 'type'>): string =>
  type === 'text'
    ? `t.${name}`
    : `case when t.${name} is not null then
         '{' || array_to_string(array(select ${ELEMENT} from unnest(t.${name}) e), ',') || '}' end`;

type Row = {
  readonly live: TextRow | null;
  readonly checkpoint: string | null;
  readonly parked_at: string | null;
};

const jsonRow = ({ keys }: Pick<Projection, 'keys'>): string => {
  const columns = [
    ...BASE_COLUMNS.map((name) => `'${name}', t.${name}::text`),
    ...keys.map((key) => `'${key.name}', ${textOf(key)}`),
  ];
  return `json_build_object(${columns.join(', ')})`;
};

const readTextRows = async (
  database: Database,
  generation: Pick<Generation, 'name'>,
  projection: Pick<Projection, 'keys'>,
  { from, after, before, limit }: RowRange,
): Promise<ReadonlyArray<TextRow>> => {
  const { rows } = await database.query<{ readonly live: TextRow }>({
    // without a name it is planned for these bounds: a plan for any bounds would read from the first row each time
    text: `select ${jsonRow(projection)} as live from ${tableOf(generation)} t
           where ($1::uuid is null or t.id >= $1) and ($2::uuid is null or t.id > $2)
             and ($3::uuid is null or t.id < $3) order by t.id limit $4`,
    values: [from, after, before, limit],
  });
  return rows.map(({ live }) => live);
};

/**
 * Of each id, in their order; undefined when the generation was dropped. One statement, so that rows and checkpoint come
 * from one snapshot.
 */
const readRowSnapshots = async (
  database: Database,
  generation: Pick<Generation, 'name'>,
  projection: Pick<Projection, 'keys' | 'category'>,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<RowSnapshot> | undefined> => {
  const { rows } = await database.query<Row>({
    name: `rows of ${generation.name} to compare`,
    text: `select case when t.id is not null then ${jsonRow(projection)} end as live,
             i.checkpoint_commit as checkpoint, p.revision as parked_at
           from read_model.instance i
           cross join unnest($2::uuid[]) with ordinality as u (id, number)
           left join ${tableOf(generation)} t on t.id = u.id
           left join read_model.parked p on p.table_name = i.table_name and p.stream = $3 || u.id
           where i.table_name = $1 order by u.number`,
    values: [generation.name, ids, `${projection.category}-`],
  });
  return rows.length === 0
    ? undefined
    : rows.map(({ live, checkpoint, parked_at: parkedAt }) => ({
        row: live ?? undefined,
        checkpoint: checkpoint === null ? undefined : BigInt(checkpoint),
        parkedAt: parkedAt === null ? undefined : BigInt(parkedAt),
      }));
};

const readIds = async (
  database: Database,
  text: string,
  values: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<string>> =>
  (await database.query<{ readonly id: string }>(text, [...values])).rows.map(({ id }) => id);

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** Records among some events of the ledger that have no row, and the index of the last of these events. */
const withoutRow = async (
  database: Database,
  { table, ledger, category }: { readonly table: string; readonly ledger: string; readonly category: string },
  after: bigint,
  limit: number,
): ReturnType<StoredRows['missing']> => {
  const { rows } = await database.query<{ ids: ReadonlyArray<string>; last: string | null }>(
    `with part as (
       select idx, case when category = $1 and revision = 0 and entity ~ '${UUID}' then entity::uuid end as id
       from read_model.${ledger} where idx > $2 order by idx limit $3
     )
     select array(select id::text from part where id is not null and not exists (select from ${table} t where t.id = part.id)) as ids,
       (select max(idx) from part) as last`,
    [category, after.toString(), limit],
  );
  const [found] = rows;
  return { ids: found?.ids ?? [], last: typeof found?.last === 'string' ? BigInt(found.last) : undefined };
};

/**
 * An id that is drawn would not do: those of the rows begin with the time at which they were made, and nearly all others
 * are larger.
 */
const BEHIND = (table: string): string => `select id::text from ${table} where ctid >= (
    select format('(%s,0)', floor($1::float8 * pg_relation_size($2) / current_setting('block_size')::int)::bigint)::tid
  ) limit 1`;

export const makeStoredRows = (
  database: Database,
  projection: Projection,
  generation: Pick<Generation, 'name'>,
): StoredRows => {
  const table = tableOf(generation);
  const { category } = projection;
  return {
    snapshots: (ids) => unlessNoTable(() => readRowSnapshots(database, generation, projection, ids), undefined),
    texts: (range) => readTextRows(database, generation, projection, range),
    idsAfter: (after, limit) => {
      const text = `select id::text from ${table} where $1::uuid is null or id > $1 order by id limit $2`;
      return readIds(database, text, [after, limit]);
    },
    sample: (size) => readIds(database, `select id::text from ${table} order by random() limit $1`, [size]),
    idBehind: async (share) => (await readIds(database, BEHIND(table), [share, table]))[0],
    missing: (ledger, after, limit) => withoutRow(database, { table, ledger, category }, after, limit),
  };
};
