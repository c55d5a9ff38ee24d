import type { Pool } from 'pg';
import { HIDDEN_ERASED } from '../../../../projections/projection.js';
import { entityIdOf, type StreamName } from '../../../event-sourcing/recorded-event.js';
import type { EventRecord } from '../../../read/event-record.js';

/** The row of an event in a ledger, as it is without the data of the event. */
export type ErasedRow = { readonly category: string } & Pick<EventRecord, 'entity' | 'revision' | 'body'>;

/** Those of every generation: one that was live before may be so again. */
const tablesOf = async (pool: Pool, projections: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { rows } = await pool.query<{ name: string }>(
    'select table_name as name from read_model.instance where projection = any($1) order by 1',
    [projections],
  );
  return rows.map(({ name }) => `read_model."${name}"`);
};

const KEYS = 'unnest($1::text[], $2::text[], $3::int8[], $4::text[]) as k (category, entity, revision, body)';
const IS = 'l.category = k.category and l.entity = k.entity and l.revision = k.revision';

const valuesOf = (rows: ReadonlyArray<ErasedRow>): ReadonlyArray<ReadonlyArray<string>> => [
  rows.map(({ category }) => category),
  rows.map(({ entity }) => entity),
  rows.map(({ revision }) => revision.toString()),
  rows.map(({ body }) => body),
];

/** Writes what is left of events into their rows of every generation of a ledger; number, leaf, actor and times stay. */
export const eraseLedgerRows = async (pool: Pool, ledger: string, rows: ReadonlyArray<ErasedRow>): Promise<void> => {
  for (const table of await tablesOf(pool, [ledger]))
    await pool.query(
      `update ${table} as l set body = k.body, fields = '{}', refs = '{}', reason_words = null from ${KEYS} where ${IS}`,
      [...valuesOf(rows)],
    );
};

/** The tables of a ledger that still have another body for one of these rows. */
export const findLedgerRowsLeft = async (
  pool: Pool,
  ledger: string,
  rows: ReadonlyArray<ErasedRow>,
): Promise<ReadonlyArray<string>> => {
  const left: Array<string> = [];
  for (const table of await tablesOf(pool, [ledger])) {
    const found = await pool.query(
      `select from ${table} as l join ${KEYS} on ${IS} where l.body <> k.body or cardinality(l.refs) > 0 limit 1`,
      [...valuesOf(rows)],
    );
    if (found.rowCount !== 0) left.push(table);
  }
  return left;
};

/** The tables of a read model whose row of a record still shows or hides something of it. */
export const findEntityRowsLeft = async (
  pool: Pool,
  projection: string,
  stream: StreamName,
): Promise<ReadonlyArray<string>> => {
  const left: Array<string> = [];
  for (const table of await tablesOf(pool, [projection])) {
    const found = await pool.query(
      `select from ${table} where id = $1 and (body is not null or kept is distinct from $2)`,
      [entityIdOf(stream), HIDDEN_ERASED],
    );
    if (found.rowCount !== 0) left.push(table);
  }
  return left;
};

/** Has Postgres forget the rows as they were, and the frequent values that its statistics keep. */
export const forgetOldRows = async (pool: Pool, projections: ReadonlyArray<string>): Promise<void> => {
  for (const table of await tablesOf(pool, projections)) await pool.query(`vacuum (analyze) ${table}`);
};
