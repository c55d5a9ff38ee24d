import type { PoolClient } from 'pg';
import { differingFields, type TextRow } from '../rows/differing-fields.js';

/** A row that live and rebuilt rows do not have in the same form; `id` names it. */
export type Difference =
  | { readonly _tag: 'OnlyLive'; readonly id: string; readonly live: TextRow }
  | { readonly _tag: 'OnlyRebuilt'; readonly id: string; readonly rebuilt: TextRow }
  | {
      readonly _tag: 'Differs';
      readonly id: string;
      readonly live: TextRow;
      readonly rebuilt: TextRow;
      /** Columns; of the column `body` the fields of its JSON object: `body.name`. */
      readonly fields: ReadonlyArray<string>;
    };

export type Comparison = {
  readonly rows: { readonly live: number; readonly rebuilt: number };
  readonly onlyLive: number;
  readonly onlyRebuilt: number;
  readonly differing: number;
  /** The first differences, by id. */
  readonly first: ReadonlyArray<Difference>;
};

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

const toDifference = ({ id, live, rebuilt }: Row): ReadonlyArray<Difference> => {
  if (live !== null && rebuilt !== null)
    return [{ _tag: 'Differs', id, live, rebuilt, fields: differingFields(live, rebuilt) }];
  if (live !== null) return [{ _tag: 'OnlyLive', id, live }];
  return rebuilt === null ? [] : [{ _tag: 'OnlyRebuilt', id, rebuilt }];
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
  keep: number,
  onDifference: (difference: Difference) => Promise<void>,
): Promise<Comparison> => {
  const counts = { OnlyLive: 0, OnlyRebuilt: 0, Differs: 0 };
  const first: Array<Difference> = [];
  const text = differencesOf(tables);
  await client.query(`declare differences no scroll cursor for ${text}`);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${FETCH} from differences`);
    for (const difference of rows.flatMap(toDifference)) {
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
