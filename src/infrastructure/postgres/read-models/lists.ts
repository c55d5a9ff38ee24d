import type { Readable } from 'node:stream';
import pg from 'pg';
import { attempt } from '../../../event-sourcing/attempt.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import type { Rows } from '../../../postgres/rows.js';
import { readRows, run, withConnection } from '../../../postgres/statement.js';
import type { FilterValues, Page, PageRequest } from '../../../read/queries.js';
import { jsonArrayOf } from './json-array.js';
import { BODY, hasGivenUp, ID, makePageStatements, type Measure, measureOf } from './page-statement.js';
import { type Listed, type ReadModelConnections, unavailable } from './read-model.js';
import { conditionsOf, type Wanted, wantedOf } from './read-model-filter.js';

/** With filters of a few hundred bytes, half a megabyte. */
const MOST_GIVEN_UP = 1_000;

/** A walk that gave up is tried again after this time, because records change. */
const SPARED_MS = 10_000;

const pageOf = (wanted: ReadonlyArray<Wanted>, request: PageRequest): string =>
  JSON.stringify([request, wanted.map(({ index, value }) => [index, value])]);

const hasNull = (rows: Rows, count: number): boolean => {
  for (let row = 0; row < count; row += 1) if (rows.isNull(row, BODY)) return true;
  return false;
};

/** A literal, because COPY takes no parameters. */
const literalOf = ({ value }: Wanted): string => pg.escapeLiteral(value);

const makePlaceOf =
  ({ short }: ReadModelConnections, view: string) =>
  async (id: string): Promise<string | undefined> => {
    const text = `select place from read_model.${view} where id = $1::uuid`;
    const statement = { name: `${view} place`, text, values: [id] };
    const [row] = await withConnection(short, (client) => run(client, statement));
    return row?.[0] ?? undefined;
  };

const EMPTY: Page = { records: Buffer.from('[]'), next: undefined };

/** A page of records; undefined when `after` was never an id. */
export const makePage = (connections: ReadModelConnections, listed: Listed) => {
  const { short, searches, copyList } = connections;
  const { name: view, keys } = listed;
  const statementsOf = makePageStatements(listed);
  const placeOf = makePlaceOf(connections, view);

  /** Of pages whose bounded walk gave up, as it would again: until when it is spared. */
  const givenUp = new Map<string, number>();

  const read = async (wanted: ReadonlyArray<Wanted>, request: PageRequest, measure: Measure): Promise<Rows> => {
    for (const { statement, isShort, isBounded } of statementsOf(wanted, request, measure)) {
      const page = isBounded ? pageOf(wanted, request) : undefined;
      if (page !== undefined && performance.now() < (givenUp.get(page) ?? 0)) continue;
      const rows = await withConnection(isShort ? short : searches, (client) => readRows(client, statement));
      if (page === undefined || !hasGivenUp(rows)) return rows;
      if (givenUp.size >= MOST_GIVEN_UP) givenUp.clear();
      givenUp.set(page, performance.now() + SPARED_MS);
    }
    throw new Error('the last statement of a page does not give up');
  };

  const open = (wanted: ReadonlyArray<Wanted>, after: string | undefined, last: string) => () =>
    attempt(() => {
      const placeOfId = (id: string): string =>
        `(select place from read_model.${view} where id = ${pg.escapeLiteral(id)})`;
      const from = after === undefined ? '' : ` and place > ${placeOfId(after)}`;
      const rows = `where body is not null${conditionsOf(wanted, literalOf)}${from} and place <= ${placeOfId(last)}`;
      return copyList(`select body from read_model.${view} ${rows} order by place`);
    }, unavailable);

  const rowsOf = async (wanted: ReadonlyArray<Wanted>, request: PageRequest): Promise<Rows> => {
    const measure = measureOf(request.limit);
    const rows = await read(wanted, request, measure);
    return measure === 'Shares' && hasNull(rows, Math.min(rows.count, request.limit))
      ? read(wanted, request, 'Sum')
      : rows;
  };

  return async (filter: FilterValues, request: PageRequest): Promise<Page | undefined> => {
    const { after, limit } = request;
    if (after !== undefined && !isUuid(after)) return undefined;
    const wanted = wantedOf(keys, filter);
    const rows = wanted === undefined ? undefined : await rowsOf(wanted, request);
    if (wanted === undefined || rows === undefined || rows.count === 0)
      return after === undefined || (await placeOf(after)) !== undefined ? EMPTY : undefined;
    const count = Math.min(rows.count, limit);
    const last = rows.ascii(count - 1, ID);
    return {
      records: hasNull(rows, count) ? { open: open(wanted, after, last) } : jsonArrayOf(rows, BODY, count),
      next: rows.count > limit ? last : undefined,
    };
  };
};

/** All records after a cursor; undefined when that was never an id. */
export const makeAll = (connections: ReadModelConnections, { name: view, keys }: Listed) => {
  const placeOf = makePlaceOf(connections, view);

  return async (filter: FilterValues, after: string | undefined): Promise<Readable | undefined> => {
    const place = after === undefined ? '-1' : isUuid(after) ? await placeOf(after) : undefined;
    if (place === undefined) return undefined;
    const wanted = wantedOf(keys, filter);
    const conditions = wanted === undefined ? ' and false' : conditionsOf(wanted, literalOf);
    const rows = `from read_model.${view} where body is not null${conditions} and place > ${place} order by place`;
    return connections.copyList(`select body ${rows}`);
  };
};
