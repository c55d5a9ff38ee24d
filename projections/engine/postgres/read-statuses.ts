import type { GenerationStatus } from '../generation/generation.js';
import type { Database } from '../../../src/postgres/pool.js';
import { GENERATION_COLUMNS, type GenerationRow, IN_ORDER, toGeneration } from './generations.js';

type Row = GenerationRow & {
  readonly projection: string;
  readonly role_since: Date;
  readonly holder: string | null;
  readonly seconds: number | null;
  readonly parked: number;
  readonly last_error: string | null;
};

const COLUMNS = GENERATION_COLUMNS.split(',')
  .map((column) => `i.${column.trim()}`)
  .join(', ');

const STATUSES = `
select ${COLUMNS}, i.projection, i.role_since, l.holder,
  extract(epoch from l.expires_at - clock_timestamp())::float8 as seconds,
  (select count(*)::int from read_model.parked p where p.table_name = i.table_name) as parked,
  (select error from read_model.parked p where p.table_name = i.table_name order by since desc limit 1) as last_error
from read_model.instance i
left join read_model.lease l on l.name = i.table_name and l.expires_at > clock_timestamp()
order by i.projection, ${IN_ORDER}`;

/** Every generation of every projection, the live ones first. */
export const readStatuses = async (database: Database): Promise<ReadonlyArray<GenerationStatus>> => {
  const { rows } = await database.query<Row>(STATUSES);
  return rows.map((row) => {
    const leader = row.holder === null ? undefined : { holder: row.holder, seconds: row.seconds ?? 0 };
    const { projection, role_since: roleSince, parked } = row;
    return {
      ...toGeneration(row),
      projection,
      roleSince,
      leader,
      parked,
      lastError: row.last_error ?? undefined,
    };
  });
};
