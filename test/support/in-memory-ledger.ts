import { EMPTY, makeNumberRows } from '../../projections/engine/ledger/number-rows.js';
import type { Ledger as LedgerModel } from '../../projections/ledger.js';
import { ledgerOf, type Registry } from '../../src/entities/registry.js';
import { attempt } from '../../src/event-sourcing/attempt.js';
import type { Clock } from '../../src/event-sourcing/clock.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeRowOf } from '../../src/infrastructure/postgres/read-models/ledger-row.js';
import { PAGE_BYTES } from '../../src/infrastructure/postgres/read-models/ledger-statement.js';
import { unavailable } from '../../src/infrastructure/postgres/read-models/read-model.js';
import type { FindChanges } from '../../src/read/ledger-diffs.js';
import { type LedgerFeed, makeLedgerFeed } from '../../src/read/ledger-feed.js';
import { type LedgerProgress, makeLedgerTail } from '../../src/read/ledger-tail.js';
import type {
  Ledger,
  LedgerEntry,
  LedgerFilter,
  LedgerPageRequest,
  LedgerQueries,
  LedgerRow,
} from '../../src/read/ledger.js';
import { type LedgerRow as StoredLedgerRow, storedLedgerRow } from './memory-storage/ledger-row.js';

/** Compares the members of an event that have the names of filters. */
const isIn =
  (body: string) =>
  (filter: LedgerFilter): boolean => {
    const shown = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return Object.entries(filter).every(([name, wanted]) => shown[name] === wanted);
  };

export const ledgerRow = (index: number, body: object): LedgerRow => {
  const text = JSON.stringify(body);
  return { index: BigInt(index), body: text, isIn: isIn(text) };
};

/** Of a ledger whose rows are no events of records. */
export const noChanges: FindChanges = (entityType) => Promise.reject(new Error(`there is no ${entityType}`));

type Rows = () => Promise<ReadonlyArray<LedgerRow>>;

/** At most `limit` of the rows, and none from where they are `size` bytes together. */
const firstOf = <Row extends LedgerEntry>(all: ReadonlyArray<Row>, limit: number, size = PAGE_BYTES) => {
  let sum = 0;
  const large = all.slice(0, limit).findIndex(({ body }) => {
    const before = sum;
    sum += Buffer.byteLength(body);
    return before >= size;
  });
  const rows = all.slice(0, large === -1 ? limit : large);
  return { rows, isLast: rows.length === all.length };
};

/** The queries of a ledger over its rows, which may reject where they cannot be read. */
export const queriesOver = (rows: Rows): LedgerQueries => ({
  page: ({ filter, after, direction, limit, size }: LedgerPageRequest) =>
    attempt(async () => {
      const isForwards = direction === 'forwards';
      const isBehind = ({ index }: LedgerRow): boolean =>
        after === undefined || (isForwards ? index > after : index < after);
      const all = (await rows()).filter((row) => isBehind(row) && row.isIn(filter));
      const found = firstOf(isForwards ? all : all.toReversed(), limit, size);
      return { entries: found.rows.map(({ index, body }) => ({ index, body })), isLast: found.isLast };
    }, unavailable),
  rowsAfter: (index, limit) =>
    attempt(
      async () =>
        firstOf(
          (await rows()).filter((row) => row.index > index),
          limit,
        ),
      unavailable,
    ),
});

/** Rows as they are stored, as readers have them: each is made once. */
export const readRowsOf = ({ kinds }: Pick<LedgerModel, 'kinds'>) => {
  const rowOf = makeRowOf(kinds);
  const known = new WeakMap<StoredLedgerRow, LedgerRow>();
  const made = (row: StoredLedgerRow): LedgerRow => {
    const { index, body, category, entity, name, actor, texts, at } = row;
    const ms = at === null ? null : String(Date.parse(at));
    const columns = [String(index), body, category, entity, name, actor, texts.fields, texts.refs, row.reasonWords, ms];
    const read = rowOf(columns);
    known.set(row, read);
    return read;
  };
  return (rows: ReadonlyArray<StoredLedgerRow>): ReadonlyArray<LedgerRow> =>
    rows.map((row) => known.get(row) ?? made(row));
};

/** A feed over a log in memory, never behind. */
export const inMemoryFeed = (clock: Clock, store: EventStore, registry: Registry): LedgerFeed => {
  const definition = ledgerOf(registry);
  const [numberRows, readRows] = [makeNumberRows(definition), readRowsOf(definition)];
  const queries = queriesOver(async () => {
    const all: Array<StoredLedgerRow> = [];
    let end = EMPTY;
    for await (const { events } of store.readAll({ after: 'start' })) {
      const numbered = numberRows(end, events);
      all.push(...numbered.rows.map(storedLedgerRow));
      end = numbered.end;
    }
    return readRows(all);
  });
  const ledger: Ledger = { page: queries.page, nextPage: queries.page };
  // whoever waits looks again soon
  let looks = 0n;
  const progress: LedgerProgress = {
    reached: () => looks,
    untilMoved: async (_, signal) => {
      await clock.sleep(20, signal);
      looks += 1n;
    },
  };
  return makeLedgerFeed({ clock, ledger, tail: makeLedgerTail({ clock, queries, progress }) });
};
