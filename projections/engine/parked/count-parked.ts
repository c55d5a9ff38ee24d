import type { Database } from '../../../src/postgres/pool.js';

const COUNT = `
select i.projection, count(*)::int as entities
from read_model.parked p join read_model.instance i using (table_name)
where i.role = 'live' group by i.projection`;

type Row = { readonly projection: string; readonly entities: number };

/** Entities parked in the live rows, by projection. */
export const countParked = async (database: Database): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await database.query<Row>(COUNT);
  return Object.fromEntries(rows.map(({ projection, entities }) => [projection, entities]));
};
