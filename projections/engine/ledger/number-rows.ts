import { categoryOf, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { eventLeaf } from '../../../src/seal/event-leaf.js';
import type { Ledger } from '../../ledger.js';
import { LATE_MS } from '../generation/ledger-table.js';
import type { NewRow } from './ledger-rows.js';

/** Where the next row goes: the number of rows, and the latest time among them (ISO 8601). */
export type LedgerEnd = { readonly size: bigint; readonly latest: string };

/** Before every time that an event can have. */
export const EMPTY: LedgerEnd = { size: 0n, latest: '0001-01-01T00:00:00.000Z' };

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Null for what is no instant: an envelope may hold any text. */
const instant = (at: string | null): string | null =>
  at !== null && INSTANT.test(at) && at >= EMPTY.latest && !Number.isNaN(Date.parse(at)) ? at : null;

const isLate = (at: string | null, latest: string): boolean =>
  at !== null && at < latest && Date.parse(latest) - Date.parse(at) > LATE_MS;

/** The rows of events that follow those in the ledger, and its new end. Events of other categories have none. */
export const makeNumberRows = ({ kinds }: Ledger) => {
  const byCategory = new Map(kinds.map((kind) => [kind.category, kind]));
  return (
    { size, latest: before }: LedgerEnd,
    events: ReadonlyArray<StoredEvent>,
  ): { readonly rows: ReadonlyArray<NewRow>; readonly end: LedgerEnd } => {
    const rows: Array<NewRow> = [];
    let latest = before;
    for (const event of events) {
      const category = categoryOf(event.stream);
      const record = byCategory.get(category)?.recordOf(event);
      if (record === undefined) continue;
      const at = instant(record.at);
      // such texts have the order of their times
      if (at !== null && at > latest) latest = at;
      const leaf = eventLeaf(event, record.hash);
      rows.push({
        ...record,
        at,
        latest,
        isLate: isLate(at, latest),
        category,
        index: size + BigInt(rows.length),
        leaf,
      });
    }
    return { rows, end: { size: size + BigInt(rows.length), latest } };
  };
};
