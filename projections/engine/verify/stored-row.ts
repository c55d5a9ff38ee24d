import type { Revision } from '../../../src/event-sourcing/recorded-event.js';
import type { KeyColumn, Projection } from '../../projection.js';
import type { TextRow } from '../rows/differing-fields.js';
import { type Generation, tableOf } from '../generation/generation.js';
import type { Database } from '../../../src/postgres/pool.js';
import { BASE_COLUMNS } from '../generation/table.js';

/** A row, and the checkpoint and parked event that belong to it in the same snapshot of the database. */
export type RowSnapshot = {
  /** Undefined: there is no row. */
  readonly row: TextRow | undefined;
  /** All events up to this position are in the rows; undefined before the first. */
  readonly checkpoint: bigint | undefined;
  /** Revision of the event at which the entity is parked. */
  readonly parkedAt: Revision | undefined;
};

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

/** A part of the rows in the order of their ids; each bound that is undefined excludes none. */
type RowRange = {
  /** Inclusive. */
  readonly from: string | undefined;
  /** Exclusive: the last row that was read before. */
  readonly after: string | undefined;
  /** Exclusive. */
  readonly before: string | undefined;
  readonly limit: number;
};

export const readTextRows = async (
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
export const readRowSnapshots = async (
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
