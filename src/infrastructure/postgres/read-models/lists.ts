import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { isUuid } from '../../../event-sourcing/uuid.js';
import type { FilterValues, Page, PageRequest } from '../../../read/queries.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { type Listed, type ReadModelConnections, unavailable } from './read-model.js';
import { conditionsOf } from './read-model-filter.js';

/** A page of more bytes is streamed instead of being read into memory. */
const PAGE_BYTES = 256 * 1024;

/** `body` is null from where the page has more than `PAGE_BYTES`. */
type PageRow = [id: string | null, body: string | null];

/** A prepared statement for each text: there are as many as combinations of filters. */
const statementName = (text: string): string => createHash('sha256').update(text).digest('base64url');

const andAll = (conditions: ReadonlyArray<string> | undefined): string =>
  (conditions ?? ['false']).map((condition) => ` and ${condition}`).join('');

/** A page of records; undefined when `after` was never an id. */
export const makePage = ({ short, copyList }: ReadModelConnections, { name: view, keys }: Listed) => {
  const measured = (rows: string): string =>
    `select id, case when sum(octet_length(body)) over (order by place rows unbounded preceding) <= ${PAGE_BYTES}
     then body end as body, place from (${rows}) r`;

  const first = (conditions: string): string =>
    measured(
      `select id, body, place from read_model.${view} where body is not null${conditions} order by place limit $1::int`,
    );

  // one round trip for both questions: no row when the cursor was never an id, a row of nulls when nothing follows it
  const following = (conditions: string, cursor: string): string =>
    `select p.id, p.body from (select place from read_model.${view} where id = ${cursor}) c
     left join lateral (${first(`${conditions} and place > c.place`)}) p on true order by p.place`;

  const creationPositionOf = (id: string): string =>
    `(select place from read_model.${view} where id = ${pg.escapeLiteral(id)})`;

  const open = (filter: FilterValues, after: string | undefined, last: string) => () =>
    attempt(() => {
      const conditions = andAll(conditionsOf(keys, filter, pg.escapeLiteral));
      const from = after === undefined ? '' : ` and place > ${creationPositionOf(after)}`;
      const rows = `where body is not null${conditions}${from} and place <= ${creationPositionOf(last)}`;
      return copyList(`select body from read_model.${view} ${rows} order by place`);
    }, unavailable);

  return async (filter: FilterValues, { after, limit }: PageRequest): Promise<Page | undefined> => {
    if (after !== undefined && !isUuid(after)) return undefined;
    const values: Array<string | number> = [limit + 1];
    const parameter = (value: string): string => `$${values.push(value)}`;
    const conditions = andAll(conditionsOf(keys, filter, (value) => `${parameter(value)}::text`));
    const text = after === undefined ? first(conditions) : following(conditions, `${parameter(after)}::uuid`);
    const query = { name: statementName(text), text, values, rowMode: 'array' as const };
    const { rows } = await short.query<PageRow>(query);
    if (after !== undefined && rows.length === 0) return undefined;

    const found = rows.flatMap(([id, body]) => (id === null ? [] : [{ id, body }]));
    const shown = found.slice(0, limit);
    const last = shown.at(-1)?.id;
    const bodies = shown.flatMap(({ body }) => (body === null ? [] : [body]));
    return {
      records: last === undefined || bodies.length === shown.length ? bodies : { open: open(filter, after, last) },
      next: found.length > limit ? last : undefined,
    };
  };
};

/** All records after a cursor; undefined when that was never an id. */
export const makeAll = ({ short, copyList }: ReadModelConnections, { name: view, keys }: Listed) => {
  const creationPositionOf = async (id: string): Promise<string | undefined> => {
    const text = `select place from read_model.${view} where id = $1::uuid`;
    const { rows } = await short.query<{ place: string }>({ name: `${view} place`, text, values: [id] });
    return rows[0]?.place;
  };

  return async (filter: FilterValues, after: string | undefined): Promise<Readable | undefined> => {
    const position = after === undefined ? '-1' : isUuid(after) ? await creationPositionOf(after) : undefined;
    if (position === undefined) return undefined;
    // COPY takes no parameters: the creation position is a number of ours, the values become literals
    const conditions = andAll(conditionsOf(keys, filter, pg.escapeLiteral));
    const rows = `from read_model.${view} where body is not null${conditions} and place > ${position} order by place`;
    return copyList(`select body ${rows}`);
  };
};
