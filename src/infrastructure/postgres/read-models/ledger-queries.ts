import { attempt } from '../../../event-sourcing/attempt.js';
import type { Pool } from 'pg';
import { LATE_MS } from '../../../../projections/engine/ledger/number-rows.js';
import type { Ledger } from '../../../../projections/ledger.js';
import { run, withConnection } from '../../../postgres/statement.js';
import type { LedgerEntry, LedgerPageRequest, LedgerQueries } from '../../../read/ledger.js';
import { hasValue } from '../../../read/has-value.js';
import { isSought, makeRowOf } from './ledger-row.js';
import { type Bounds, PAGE_BYTES, pageStatement, placeOfTime, rowsAfterStatement } from './ledger-statement.js';
import { unavailable } from './read-model.js';

/** Above every place. */
const BEYOND = 2n ** 62n;

/** The queries of a ledger, by connections that plan each statement for its values (`planByValues`). */
export const makeLedgerQueries = (pool: Pool, { name, kinds }: Pick<Ledger, 'name' | 'kinds'>): LedgerQueries => {
  const view = `read_model.${name}`;

  const rowOf = makeRowOf(kinds);

  const placeOf = async (time: Date): Promise<bigint> => {
    const [row] = await withConnection(pool, (client) => run(client, placeOfTime(view, time)));
    return BigInt(row?.[0] ?? 0);
  };

  const boundsOf = async ({ filter, after, direction }: LedgerPageRequest): Promise<Bounds> => {
    const { since, until } = filter;
    // behind a row that is later by more than that, only late rows are before the time
    const [first, end] = await Promise.all([
      since === undefined ? 0n : placeOf(since),
      until === undefined ? undefined : placeOf(new Date(until.getTime() + LATE_MS)),
    ]);
    const low = first - 1n;
    const given = {
      after: direction === 'forwards' && after !== undefined ? after : -1n,
      before: direction === 'backwards' && after !== undefined ? after : BEYOND,
    };
    const wanted = { after: given.after > low ? given.after : low, before: given.before };
    if (end === undefined) return { all: wanted, late: undefined };
    return {
      all: { ...wanted, before: wanted.before < end ? wanted.before : end },
      late: { ...wanted, after: wanted.after < end ? end - 1n : wanted.after },
    };
  };

  return {
    page: (request) =>
      attempt(async () => {
        const { filter, limit } = request;
        const categories = kinds
          .filter(({ entityType }) => isSought(filter.entityType, entityType))
          .map(({ category }) => category);
        if (categories.length === 0) return { entries: [], isLast: true };
        const { value } = filter;
        const entries: Array<LedgerEntry> = [];
        let [wanted, bytes] = [request, 0];
        for (;;) {
          const statement = pageStatement({ view, categories, filter }, wanted, await boundsOf(wanted));
          const rows = await withConnection(pool, (client) => run(client, statement));
          const found = [];
          for (const [index, body] of rows.slice(0, limit))
            if (typeof index === 'string' && typeof body === 'string') found.push({ index: BigInt(index), body });
            else break;
          const isLast = found.length === rows.length;
          const last = found.at(-1);
          if (value === undefined) return { entries: found, isLast };
          for (const entry of found)
            if (hasValue(entry.body, value)) {
              entries.push(entry);
              bytes += entry.body.length;
            }
          // one more than the page has tells that it is not the last; where they are large, none is looked for
          if (last === undefined || isLast || entries.length > limit || bytes > PAGE_BYTES)
            return { entries: entries.slice(0, limit), isLast: isLast && entries.length <= limit };
          wanted = { ...wanted, after: last.index };
        }
      }, unavailable),
    rowsAfter: (index, limit) =>
      attempt(async () => {
        const found = await withConnection(pool, (client) => run(client, rowsAfterStatement(view, index, limit)));
        const rows = [];
        for (const row of found.slice(0, limit))
          if (typeof row[1] === 'string') rows.push(rowOf(row));
          else break;
        return { rows, isLast: rows.length === found.length };
      }, unavailable),
  };
};
