import { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import { arrayLiteral } from '../../../../projections/projection.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { runIn, type Statement, type TextRow } from '../../../postgres/statement.js';
import type {
  AccessFilter,
  AccessPageRequest,
  AccessQueries,
  RecordedRead,
} from '../../../read/access/access-record.js';
import type { Sought } from '../../../read/queries.js';
import { unavailable } from '../read-models/read-model.js';
import { firstSince, LATE, lastBefore } from './time-bounds.js';

type Condition = readonly [text: (bound: string) => string, value: string | undefined];

const timestamp = (time: Date | undefined): string | undefined => time?.toISOString();

const arrayOf = (sought: Sought | undefined): string | undefined =>
  sought === undefined ? undefined : arrayLiteral([sought].flat());

const conditionsOf = ({
  user,
  entityType,
  entity,
  operation,
  since,
  until,
}: AccessFilter): ReadonlyArray<Condition> => [
  [(bound) => `actor = ${bound}`, user],
  [(bound) => `entity_type = any(${bound}::text[])`, arrayOf(entityType)],
  [(bound) => `entity = ${bound}`, entity],
  [(bound) => `operation = ${bound}`, operation],
  [(bound) => `at >= ${bound}::timestamptz`, timestamp(since)],
  [(bound) => `at < ${bound}::timestamptz`, timestamp(until)],
];

const COLUMNS = `id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), actor, operation, entity_type, entity,
  what, form, request_id`;

/** A page, and one row more where there is one. */
const pageStatement = ({ filter, after, direction, limit, upTo }: AccessPageRequest): Statement => {
  const isForwards = direction === 'forwards';
  const [since, until] = [timestamp(filter.since), timestamp(filter.until)];
  const given = [
    ...conditionsOf(filter),
    [(bound) => `id >= ${firstSince(bound)}`, since],
    [(bound) => `id ${isForwards ? '>' : '<'} ${bound}::bigint`, after?.toString()],
    [(bound) => `id <= ${bound}::bigint`, upTo?.toString()],
  ] satisfies ReadonlyArray<Condition>;
  const values: Array<string> = [];
  const conditions: Array<string> = ['true'];
  for (const [text, value] of given)
    if (value !== undefined) {
      values.push(value);
      conditions.push(text(`$${values.length}`));
    }
  const order = `order by id ${isForwards ? 'asc' : 'desc'} limit ${limit + 1}`;
  const rowsThat = (...more: ReadonlyArray<string>): string =>
    `select ${COLUMNS} from access.read where ${[...conditions, ...more].join(' and ')} ${order}`;
  if (until === undefined) return { name: '', text: rowsThat(), values };
  const last = lastBefore(`$${values.push(until)}`);
  const [inTime, late] = [rowsThat(`id <= ${last}`), rowsThat(`id > ${last}`, LATE)];
  return { name: '', text: `select * from ((${inTime}) union all (${late})) as found ${order}`, values };
};

const readOf = ([id, at, user, operation, entityType, entity, what, form, requestId]: TextRow): RecordedRead => ({
  id: BigInt(id ?? 0),
  at: new Date(at ?? 0),
  user: user ?? '',
  operation: operation ?? '',
  what: what ?? '',
  form: form ?? '',
  ...(typeof entityType === 'string' && typeof entity === 'string' ? { record: { entityType, entity } } : {}),
  ...(typeof requestId === 'string' ? { requestId } : {}),
});

/** The queries of the record of reads; it has no rows where its table is not made yet. */
export const makeFindReads = (pool: Pool): AccessQueries => {
  const run = runIn(pool);
  const rowsOf = (statement: Statement) => unlessNoTable(() => run(statement), []);
  return {
    page: (request) =>
      attempt(async () => {
        const rows = await rowsOf(pageStatement(request));
        return { reads: rows.slice(0, request.limit).map(readOf), isLast: rows.length <= request.limit };
      }, unavailable),
    newest: async () => {
      const text = 'select max(id) from access.read';
      const found = await attempt(() => rowsOf({ name: 'newest read', text, values: [] }), unavailable);
      return E.map((rows: ReadonlyArray<TextRow>) => {
        const [[id] = []] = rows;
        return typeof id === 'string' ? BigInt(id) : undefined;
      })(found);
    },
  };
};
