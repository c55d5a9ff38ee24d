import { either as E } from 'fp-ts';
import { ledgerOf, type Registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { categoryOf } from '../../src/event-sourcing/recorded-event.js';
import { type LedgerFeed, makeLedgerFeed } from '../../src/read/ledger-feed.js';
import type { FindChanges } from '../../src/read/ledger-diffs.js';
import { type LedgerProgress, makeLedgerTail } from '../../src/read/ledger-tail.js';
import type { Ledger, LedgerFilter, LedgerPageRequest, LedgerQueries, LedgerRow } from '../../src/read/ledger.js';
import type { Clock } from '../../src/event-sourcing/clock.js';

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

/** The queries of a ledger over rows in this process. */
export const queriesOver = (rows: Rows): Pick<LedgerQueries, 'page' | 'rowsAfter'> => ({
  page: async ({ filter, after, direction, limit, size = Infinity }: LedgerPageRequest) => {
    const isForwards = direction === 'forwards';
    const isBehind = ({ index }: LedgerRow): boolean =>
      after === undefined || (isForwards ? index > after : index < after);
    const all = (await rows()).filter((row) => isBehind(row) && row.isIn(filter));
    const wanted = isForwards ? all : all.toReversed();
    let sum = 0;
    const large = wanted.findIndex(({ body }) => (sum += body.length) - body.length >= size);
    const entries = wanted.slice(0, Math.min(limit, large === -1 ? Infinity : large));
    return E.right({ entries, isLast: entries.length === wanted.length });
  },
  rowsAfter: async (index, limit) => {
    const wanted = (await rows()).filter((row) => row.index > index);
    return E.right({ rows: wanted.slice(0, limit), isLast: wanted.length <= limit });
  },
});

/** A feed over a log in memory, never behind. */
export const inMemoryFeed = (clock: Clock, store: EventStore, registry: Registry): LedgerFeed => {
  const { kinds } = ledgerOf(registry);
  const rows: Rows = async () => {
    const all: Array<LedgerRow> = [];
    for await (const { events } of store.readAll({ after: 'start' }))
      for (const event of events) {
        const record = kinds.find(({ category }) => category === categoryOf(event.stream))?.recordOf(event);
        if (record !== undefined) all.push({ index: BigInt(all.length), body: record.body, isIn: isIn(record.body) });
      }
    return all;
  };
  const queries = queriesOver(rows);
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
