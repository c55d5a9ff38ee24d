import type { PoolClient } from 'pg';
import { type ComparedRows, differenceOf, type Differences } from '../rebuild/difference.js';
import type { TextRow } from '../rows/differing-fields.js';

type Compared = {
  /** Tables. */
  readonly live: string;
  readonly rebuilt: string;
  /** The column that tells which rows belong together, and those that are compared. */
  readonly id: string;
  readonly columns: ReadonlyArray<string>;
};

type Row = { readonly id: string; readonly live: TextRow | null; readonly rebuilt: TextRow | null };

const FETCH = 200;

const asText = (table: string, id: string, columns: ReadonlyArray<string>): string =>
  `case when ${table}.${id} is not null then json_build_object(${columns
    .map((name) => `'${name}', ${table}.${name}::text`)
    .join(', ')}) end as ${table}`;

const differencesOf = ({ live, rebuilt, id, columns }: Compared): string => {
  const row = (table: string): string => `(${columns.map((name) => `${table}.${name}`).join(', ')})`;
  return `select ${id}::text as id, ${asText('live', id, columns)}, ${asText('rebuilt', id, columns)}
    from ${live} live full join ${rebuilt} rebuilt using (${id})
    where live.${id} is null or rebuilt.${id} is null or ${row('live')} is distinct from ${row('rebuilt')}
    order by ${id}`;
};

const count = async (client: PoolClient, table: string): Promise<number> =>
  Number((await client.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]?.count ?? 0);

/**
 * Compares two tables row by row, as the transaction of `client` sees them, in the order of `id`. Calls `onDifference` for every difference;
 * the result has the first `keep` of them.
 */
export const compare = async (
  client: PoolClient,
  tables: Compared,
  { keep, onDifference }: Differences,
): Promise<ComparedRows> => {
  const counts = { OnlyLive: 0, OnlyRebuilt: 0, Differs: 0 };
  const first: Array<ComparedRows['first'][number]> = [];
  const text = differencesOf(tables);
  await client.query(`declare differences no scroll cursor for ${text}`);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${FETCH} from differences`);
    for (const { id, live, rebuilt } of rows) {
      const difference = differenceOf(id, live, rebuilt);
      if (difference === undefined) continue;
      counts[difference._tag] += 1;
      if (first.length < keep) first.push(difference);
      await onDifference(difference);
    }
    if (rows.length < FETCH) break;
  }
  return {
    rows: { live: await count(client, tables.live), rebuilt: await count(client, tables.rebuilt) },
    onlyLive: counts.OnlyLive,
    onlyRebuilt: counts.OnlyRebuilt,
    differing: counts.Differs,
    first,
  };
};
