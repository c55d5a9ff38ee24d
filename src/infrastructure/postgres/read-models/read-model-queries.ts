import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { either as E, option as O } from 'fp-ts';
import pg, { type Pool } from 'pg';
import { isUuid } from '../../../event-sourcing/uuid.js';
import { uuidArray } from '../../../../projections/engine/binary-array.js';
import type { KeyColumn, Projection } from '../../../../projections/projection.js';
import type { Page, PageRequest, Queries, ReadModelUnavailable, UnknownCursor, View } from '../../../read/queries.js';
import { makeCoalescedRows } from './coalesced-rows.js';
import type { CopyList } from './list-copies.js';
import { conditionsOf, type FilterValues } from './read-model-filter.js';

export type ReadModelConnections = {
  /** For answers of one round trip. */
  readonly short: Pool;
  /** For lists as a whole. */
  readonly copyList: CopyList;
};

/** What the queries need of a projection: the view's name and the columns that filters name. */
type Listed = {
  readonly name: Projection<never, never>['name'];
  readonly keys: ReadonlyArray<Pick<KeyColumn<never>, 'name' | 'type' | 'filter'>>;
};

/** The row misses events that could not be projected: the stream knows more. */
class ParkedEntity extends Error {
  constructor(id: string) {
    super(`${id} is parked`);
    this.name = 'ParkedEntity';
  }
}

export const attempt = async <A>(read: () => Promise<A>): Promise<E.Either<ReadModelUnavailable, A>> => {
  try {
    return E.right(await read());
  } catch (cause) {
    return E.left({ _tag: 'ReadModelUnavailable', cause });
  }
};

type IdRow = readonly [id: string, revision: string, parked: boolean, column: string | null];

/**
 * One column of a row by id, with its revision; many askers share a query. Rejects with `ParkedEntity` for a row that
 * is behind its stream.
 */
export const makeRowById = (pool: Pool, view: string, column: string) => {
  const read = makeCoalescedRows<IdRow>(async (ids) => {
    const { rows } = await pool.query<[...IdRow]>({
      name: `${view} ${column}`,
      text: `select id, revision, parked, ${column} from read_model.${view} where id = any($1::uuid[])`,
      values: [uuidArray(ids)],
      rowMode: 'array',
    });
    return new Map(rows.map((row) => [row[0], row]));
  });

  return async (id: string): Promise<{ readonly revision: bigint; readonly column: string | null } | undefined> => {
    const row = isUuid(id) ? await read(id) : undefined;
    if (row === undefined) return undefined;
    const [, revision, isParked, value] = row;
    if (isParked) throw new ParkedEntity(id);
    return { revision: BigInt(revision), column: value };
  };
};

type PageRow = readonly [id: string | null, body: string];

const toPage = (rows: ReadonlyArray<PageRow>, limit: number): Page => {
  const found = rows.filter(([id]) => id !== null);
  const shown = found.slice(0, limit);
  return {
    bodies: shown.map(([, body]) => body),
    next: found.length > limit ? (shown.at(-1)?.[0] ?? undefined) : undefined,
  };
};

/** The same name for the same text; only the shapes of filters make different ones. */
const statementName = (text: string): string => createHash('sha256').update(text).digest('base64url');

const makePage = (pool: Pool, { name: view, keys }: Listed) => {
  const first = (conditions: string): string =>
    `select id, body, place from read_model.${view} where body is not null${conditions} order by place limit $1::int`;

  // in one round trip: no row when the cursor was never an id, one of nulls when nothing follows it
  const following = (conditions: string, cursor: string): string =>
    `select p.id, p.body from (select place from read_model.${view} where id = ${cursor}) c
     left join lateral (${first(`${conditions} and place > c.place`)}) p on true order by p.place`;

  return async (filter: FilterValues, { after, limit }: PageRequest): Promise<Page | undefined> => {
    if (after !== undefined && !isUuid(after)) return undefined;
    const values: Array<string | number> = [limit + 1];
    const parameter = (value: string): string => `$${values.push(value)}`;
    const conditions = andAll(conditionsOf(keys, filter, (value) => `${parameter(value)}::text`));
    const text = after === undefined ? first(conditions) : following(conditions, `${parameter(after)}::uuid`);
    const query = { name: statementName(text), text, values, rowMode: 'array' as const };
    const { rows } = await pool.query<[...PageRow]>(query);
    return after !== undefined && rows.length === 0 ? undefined : toPage(rows, limit);
  };
};

const andAll = (conditions: ReadonlyArray<string> | undefined): string =>
  (conditions ?? ['false']).map((condition) => ` and ${condition}`).join('');

const makeAll = ({ short, copyList }: ReadModelConnections, { name: view, keys }: Listed) => {
  const placeOf = async (id: string): Promise<string | undefined> => {
    const text = `select place from read_model.${view} where id = $1::uuid`;
    const { rows } = await short.query<{ place: string }>({ name: `${view} place`, text, values: [id] });
    return rows[0]?.place;
  };

  return async (filter: FilterValues, after: string | undefined): Promise<Readable | undefined> => {
    const place = after === undefined ? '-1' : isUuid(after) ? await placeOf(after) : undefined;
    if (place === undefined) return undefined;
    // COPY takes no parameters: the place is a number of ours, the values become literals
    const conditions = andAll(conditionsOf(keys, filter, pg.escapeLiteral));
    const rows = `from read_model.${view} where body is not null${conditions} and place > ${place} order by place`;
    return copyList(`select body ${rows}`);
  };
};

const unknownCursor: UnknownCursor = { _tag: 'UnknownCursor' };

const orUnknownCursor = <A extends object>(
  found: E.Either<ReadModelUnavailable, A | undefined>,
): E.Either<ReadModelUnavailable | UnknownCursor, A> =>
  E.chainW((value: A | undefined) => (value === undefined ? E.left(unknownCursor) : E.right(value)))(found);

/** The queries that every read model answers, over the view of its live rows. */
export const makeQueries = (connections: ReadModelConnections, listed: Listed): Queries<FilterValues> => {
  const bodyById = makeRowById(connections.short, listed.name, 'body');
  const page = makePage(connections.short, listed);
  const all = makeAll(connections, listed);

  return {
    byId: (id) => () =>
      attempt(async (): Promise<O.Option<View>> => {
        const row = await bodyById(id);
        return row === undefined || row.column === null
          ? O.none
          : O.some({ id, revision: row.revision, body: row.column });
      }),
    page: (filter, request) => async () => orUnknownCursor(await attempt(() => page(filter, request))),
    all: (filter, after) => async () => orUnknownCursor(await attempt(() => all(filter, after))),
  };
};
