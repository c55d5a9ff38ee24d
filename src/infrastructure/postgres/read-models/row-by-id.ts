import type { CustomTypesConfig, Pool } from 'pg';
import { uuidArray } from '../../../../projections/engine/binary-array.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import { makeCoalescedRows } from './coalesced-rows.js';

/** Longer values are not read together with others, and not as texts, bytes. */
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

type LargeRow = { readonly revision: Buffer; readonly body: Buffer };

// as the server sends them: a text would take twice the memory, and be encoded again
const asBytes: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/** The body of one row as bytes, with the revision that it shows; undefined when it is not there. */
export const makeLargeBody = (pool: Pool, view: string) => {
  const text = `select revision::text, body from read_model.${view} where id = $1::uuid and body is not null`;
  return async (id: string): Promise<{ readonly revision: bigint; readonly bytes: Buffer } | undefined> => {
    const query = { name: `${view} large body`, text, values: [id], types: asBytes, binary: true };
    const { rows } = await pool.query<LargeRow>(query);
    const row = rows[0];
    return row && { revision: BigInt(row.revision.toString()), bytes: row.body };
  };
};
