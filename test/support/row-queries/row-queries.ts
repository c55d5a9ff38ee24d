import { Readable } from 'node:stream';
import { either as E, option as O } from 'fp-ts';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import { attempt } from '../../../src/event-sourcing/attempt.js';
import type { Revision } from '../../../src/event-sourcing/recorded-event.js';
import { PAGE_BYTES } from '../../../src/infrastructure/postgres/read-models/page-statement.js';
import { type Listed, unavailable, unlessParked } from '../../../src/infrastructure/postgres/read-models/read-model.js';
import { SHORT_BYTES } from '../../../src/infrastructure/postgres/read-models/row-by-id.js';
import type { FilterValues, HiddenStates, Page, PageRequest, Queries, View } from '../../../src/read/queries.js';
import { type ListedRow, listedRows, type Rows } from './listed-rows.js';

/**
 * Which rows there are: gives them to `read` as they are at one moment. Rejects where they cannot be read, and `asNoted` also
 * where they lack a change of which it was noted that it was acknowledged.
 */
export type ReadRows = <A>(read: (rows: Rows) => A, asNoted?: boolean) => Promise<A>;

const unknownCursor = { _tag: 'UnknownCursor' } as const;

const revisionOf = (row: TextRow): Revision => BigInt(row['revision'] ?? 0);

const isShort = (text: string): boolean => Buffer.byteLength(text) <= SHORT_BYTES;

const bytesOf = (rows: ReadonlyArray<ListedRow>): number =>
  rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

const arrayOf = (rows: ReadonlyArray<ListedRow>): Buffer => Buffer.from(`[${rows.map(({ body }) => body).join(',')}]`);

const streamOf = (rows: ReadonlyArray<ListedRow>): Readable => {
  const pieces = rows.map(({ body }, index) => `${index === 0 ? '' : ','}${body}`);
  return Readable.from(['[', ...pieces, ']'], { objectMode: false });
};

/** The queries of one read model over its rows: what they are filtered and sorted by is in their columns. */
export const rowQueries = (listed: Listed, readRows: ReadRows): Queries<FilterValues> & HiddenStates => {
  const viewOf = (id: string, row: TextRow): O.Option<View> => {
    const body = row['body'] ?? null;
    if (body === null) return O.none;
    const revision = revisionOf(row);
    return O.some({ id, revision, body: isShort(body) ? Buffer.from(body) : { read: () => readLarge(id) } });
  };

  const readLarge = (id: string) =>
    attempt(
      () =>
        readRows((rows) => {
          const row = rows.get(id);
          const body = row?.['body'] ?? null;
          return row === undefined || body === null
            ? O.none
            : O.some({ revision: revisionOf(row), bytes: Buffer.from(body) });
        }),
      unavailable,
    );

  const byId = async <A>(id: string, asNoted: boolean | undefined, render: (row: TextRow) => O.Option<A>) => {
    const found = await attempt(
      () =>
        readRows((rows) => {
          const row = rows.get(id);
          return row === undefined ? E.right(O.none) : unlessParked(row['parked'] === 'true', render(row));
        }, asNoted),
      unavailable,
    );
    return E.flattenW(found);
  };

  const pageOf = (filter: FilterValues, { limit, ...list }: PageRequest, rows: ReadonlyArray<ListedRow>): Page => {
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    if (last === undefined) return { records: arrayOf([]), next: undefined };
    // what is opened later shows the rows as they are then
    const open = () =>
      attempt(
        () => readRows((then) => streamOf(listedRows(listed, then, filter, { ...list, upTo: last }) ?? [])),
        unavailable,
      );
    return {
      records: bytesOf(page) <= PAGE_BYTES ? arrayOf(page) : { open },
      next: rows.length > limit ? { id: last.id, key: last.key } : undefined,
    };
  };

  return {
    byId: (id, asNoted) => byId(id, asNoted, (row) => viewOf(id, row)),
    hiddenState: (id, asNoted) =>
      byId(id, asNoted, (row) => {
        const hidden = row['kept'] ?? null;
        return hidden !== null && isShort(hidden) ? O.some({ hidden, revision: revisionOf(row) }) : O.none;
      }),
    page: async (filter, request) => {
      const found = await attempt(() => readRows((rows) => listedRows(listed, rows, filter, request)), unavailable);
      return E.flatMap(found, (rows) =>
        rows === undefined ? E.left(unknownCursor) : E.right(pageOf(filter, request, rows)),
      );
    },
    count: (filter, by) =>
      attempt(() => readRows((rows) => listedRows(listed, rows, filter, { order: by })?.length ?? 0), unavailable),
    all: async (filter, request) => {
      const found = await attempt(() => readRows((rows) => listedRows(listed, rows, filter, request)), unavailable);
      return E.flatMap(found, (rows) => (rows === undefined ? E.left(unknownCursor) : E.right(streamOf(rows))));
    },
  };
};
