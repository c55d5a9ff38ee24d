import type { Pool } from 'pg';
import { HIDDEN_ERASED } from '../../../../projections/projection.js';
import { entityIdOf, type StreamName } from '../../../event-sourcing/recorded-event.js';
import type { EventRecord } from '../../../read/event-record.js';

/** The row of an event in a ledger, as it is without the data of the event. */
export type ErasedRow = { readonly category: string } & Pick<EventRecord, 'entity' | 'revision' | 'body'>;

/** The rows of what is erased, in every generation of a read model: one that was live before may be so again. */
export type ErasedRows = {
  /** Writes what is left of events into their rows of a ledger; number, leaf, actor and times stay. */
  readonly eraseLedger: (ledger: string, rows: ReadonlyArray<ErasedRow>) => Promise<void>;
  /** Where a ledger still has another body for one of these rows. */
  readonly findLeftInLedger: (ledger: string, rows: ReadonlyArray<ErasedRow>) => Promise<ReadonlyArray<string>>;
  /** Where the row of a record still shows or hides something of it. */
  readonly findLeftOfEntity: (projection: string, stream: StreamName) => Promise<ReadonlyArray<string>>;
  /** Has the database forget the rows as they were. */
  readonly forget: (projections: ReadonlyArray<string>) => Promise<void>;
};

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

const eraseLedger = async (pool: Pool, ledger: string, rows: ReadonlyArray<ErasedRow>): Promise<void> => {
  for (const table of await tablesOf(pool, [ledger]))
    await pool.query(
      `update ${table} as l set body = k.body, fields = '{}', refs = '{}', reason_words = null from ${KEYS} where ${IS}`,
      [...valuesOf(rows)],
    );
};

const findLeftInLedger = async (
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

const findLeftOfEntity = async (pool: Pool, projection: string, stream: StreamName): Promise<ReadonlyArray<string>> => {
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

/** Also the frequent values that its statistics keep. */
const forget = async (pool: Pool, projections: ReadonlyArray<string>): Promise<void> => {
  for (const table of await tablesOf(pool, projections)) await pool.query(`vacuum (analyze) ${table}`);
};

/** The rows in a database. */
export const makeErasedRows = (pool: Pool): ErasedRows => ({
  eraseLedger: (ledger, rows) => eraseLedger(pool, ledger, rows),
  findLeftInLedger: (ledger, rows) => findLeftInLedger(pool, ledger, rows),
  findLeftOfEntity: (projection, stream) => findLeftOfEntity(pool, projection, stream),
  forget: (projections) => forget(pool, projections),
});
