import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { uuidArray } from '../../../postgres/binary-array.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import type { Rows } from '../../../postgres/rows.js';
import { readRows, withConnection } from '../../../postgres/statement.js';
import { makeCoalescedRows } from '../../../postgres/coalesced-rows.js';
import type { ReadModelConnections } from './read-model.js';

/** Longer values are read one by one, as bytes. */
export const SHORT_BYTES = 64 * 1024;

const ID = 0;
const REVISION = 1;
const PARKED = 2;
const IS_LARGE = 3;
const VALUE = 4;
const IS_LACKING = 5;

type FoundRow = {
  readonly revision: bigint;
  readonly isParked: boolean;
  /** Whether the value is longer than `SHORT_BYTES`; `value` is null then. */
  readonly isLarge: boolean;
  /** Of its own: it keeps nothing of the rows that were read together with it in memory. */
  readonly value: Buffer | null;
};

const rowAt = (rows: Rows, row: number): FoundRow => ({
  revision: BigInt(rows.ascii(row, REVISION)),
  isParked: rows.ascii(row, PARKED) === 't',
  isLarge: !rows.isNull(row, IS_LARGE) && rows.ascii(row, IS_LARGE) === 't',
  value: rows.isNull(row, VALUE) ? null : Buffer.from(rows.value(row, VALUE)),
});

/** The live rows of a read model lack a change of which it was noted that it was acknowledged. */
class RowsLackAcknowledged extends Error {
  constructor(view: string) {
    super(`the rows of ${view} lack a change that was acknowledged`);
  }
}

/** Whether the live rows lack something, in one row. Before their first checkpoint nothing is known of them. */
const lacking = (view: string): string => `
  select coalesce(checkpoint_commit < noted.position, checkpoint_commit is null) as is_lacking
  from read_model.instance left join read_model.acknowledged noted using (projection, log_identity)
  where projection = '${view}' and role = 'live'`;

/**
 * One column of a row by id, with the row's revision. Calls at the same time share a query. The row of a parked entity
 * lacks events that could not be projected. `asNoted`: rejects where the rows of the view lack a change that was
 * acknowledged, by what is noted when the row is read.
 */
export const makeRowById = (
  { clock, short }: Pick<ReadModelConnections, 'clock' | 'short'>,
  view: string,
  column: string,
) => {
  const columns = `id, revision, parked, octet_length(${column}) > ${SHORT_BYTES},
    case when octet_length(${column}) <= ${SHORT_BYTES} then ${column} end`;

  const makeRead = (name: string, text: string, check: (rows: Rows) => void) =>
    makeCoalescedRows(clock, async (ids) => {
      const statement = { name, text, values: [uuidArray(ids)] };
      const rows = await withConnection(short, (client) => readRows(client, statement));
      check(rows);
      const found = new Map<string, FoundRow>();
      for (let row = 0; row < rows.count; row += 1)
        if (!rows.isNull(row, ID)) found.set(rows.ascii(row, ID), rowAt(rows, row));
      return found;
    });

  const read = makeRead(
    `${view} ${column}`,
    `select ${columns} from read_model.${view} where id = any($1::uuid[])`,
    () => undefined,
  );
  // one statement, so that rows, checkpoint and note are of one instant
  const readAsNoted = makeRead(
    `${view} ${column} as noted`,
    `select ${columns}, is_lacking from (${lacking(view)}) live left join read_model.${view} on id = any($1::uuid[])`,
    (rows) => {
      if (rows.count === 0 || rows.ascii(0, IS_LACKING) === 't') throw new RowsLackAcknowledged(view);
    },
  );

  return async (id: string, asNoted = false): Promise<FoundRow | undefined> =>
    isUuid(id) ? (asNoted ? readAsNoted : read)(id) : undefined;
};

/** Short, because the body is read into memory: no slow client is involved. */
const READ_AT_ONCE = { beginMs: 2_000, idleMs: 2_000, totalMs: 10_000 };

/**
 * The body of one row as bytes, with the row's revision; undefined when there is no body. It is copied as a list of one
 * row: the driver would decode it into a string, and block the event loop meanwhile.
 */
export const makeLargeBody =
  ({ copyList }: ReadModelConnections, view: string) =>
  async (id: string): Promise<{ readonly revision: bigint; readonly bytes: Buffer } | undefined> => {
    // the revision is put before the body, so that both come from one snapshot
    const found = `where id = ${pg.escapeLiteral(id)} and body is not null`;
    const list = await buffer(
      await copyList(`select revision || body from read_model.${view} ${found}`, 'ByIndex', READ_AT_ONCE),
    );
    const start = list.indexOf('{');
    if (start === -1) return undefined;
    const revision = list.subarray(list.indexOf('[') + 1, start).toString();
    return { revision: BigInt(revision.trim()), bytes: list.subarray(start, list.lastIndexOf('}') + 1) };
  };
