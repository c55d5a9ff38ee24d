import { buffer } from 'node:stream/consumers';
import pg, { type Pool } from 'pg';
import { uuidArray } from '../../../postgres/binary-array.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import { makeCoalescedRows } from './coalesced-rows.js';
import type { ReadModelConnections } from './read-model.js';

/** Longer values are not read together with others, and as bytes. */
const SHORT_BYTES = 64 * 1024;

/** The row misses events that could not be projected: the stream knows more. */
class ParkedEntity extends Error {
  constructor(id: string) {
    super(`${id} is parked`);
    this.name = 'ParkedEntity';
  }
}

type IdRow = readonly [id: string, revision: string, parked: boolean, isLarge: boolean | null, column: string | null];

type FoundRow = {
  readonly revision: bigint;
  /** The value is too long to be read this way; `column` is null then. */
  readonly isLarge: boolean;
  readonly column: string | null;
};

/**
 * One column of a row by id, with its revision; many askers share a query. Rejects with `ParkedEntity` for a row that
 * is behind its stream.
 */
export const makeRowById = (pool: Pool, view: string, column: string) => {
  const read = makeCoalescedRows<IdRow>(async (ids) => {
    const { rows } = await pool.query<[...IdRow]>({
      name: `${view} ${column}`,
      text: `select id, revision, parked, octet_length(${column}) > ${SHORT_BYTES},
        case when octet_length(${column}) <= ${SHORT_BYTES} then ${column} end
        from read_model.${view} where id = any($1::uuid[])`,
      values: [uuidArray(ids)],
      rowMode: 'array',
    });
    return new Map(rows.map((row) => [row[0], row]));
  });

  return async (id: string): Promise<FoundRow | undefined> => {
    const row = isUuid(id) ? await read(id) : undefined;
    if (row === undefined) return undefined;
    const [, revision, isParked, isLarge, value] = row;
    if (isParked) throw new ParkedEntity(id);
    return { revision: BigInt(revision), isLarge: isLarge === true, column: value };
  };
};

/** A large body is read by us, at once: no client holds that up; ms. */
const READ_AT_ONCE = { beginMs: 2_000, idleMs: 2_000, totalMs: 10_000 };

/**
 * The body of one row as bytes, with the revision that it shows; undefined when it is not there. It is copied as a list
 * of one is: the driver would make a text of it, and stop everything else for that while.
 */
export const makeLargeBody =
  ({ copyList }: ReadModelConnections, view: string) =>
  async (id: string): Promise<{ readonly revision: bigint; readonly bytes: Buffer } | undefined> => {
    // the revision stands before the body, so that both are of one moment
    const found = `where id = ${pg.escapeLiteral(id)} and body is not null`;
    const list = await buffer(await copyList(`select revision || body from read_model.${view} ${found}`, READ_AT_ONCE));
    const start = list.indexOf('{');
    if (start === -1) return undefined;
    const revision = list.subarray(list.indexOf('[') + 1, start).toString();
    return { revision: BigInt(revision.trim()), bytes: list.subarray(start, list.lastIndexOf('}') + 1) };
  };
