import { categoryOf, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { eventLeaf } from '../../../src/seal/event-leaf.js';
import type { Ledger } from '../../ledger.js';
import type { NewRow } from './ledger-rows.js';

/**
 * Clocks of several machines differ by less than this, ms. A row whose time is earlier than one before it by more than
 * this is marked as late, and looked for apart; every other one is found near its time. Rows that are there were marked
 * by it: where it is changed, `EVENT_LAYOUT` in projections/version.ts is to be raised.
 */
export const LATE_MS = 1_000;

/** Where the next row goes: the number of rows, and the latest time among them (ISO 8601). */
export type LedgerEnd = { readonly size: bigint; readonly latest: string };

/** Before every time that an event can have. */
export const EMPTY: LedgerEnd = { size: 0n, latest: '0001-01-01T00:00:00.000Z' };

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** ms since 1970; NaN for what is no instant: an envelope may hold any text. */
const instantOf = (at: string | null): number =>
  at !== null && INSTANT.test(at) && at >= EMPTY.latest ? Date.parse(at) : NaN;

/** The rows of events that follow those in the ledger, and its new end. Other events have none. */
export const makeNumberRows = ({ kinds }: Ledger) => {
  const byCategory = new Map(kinds.map((kind) => [kind.category, kind]));
  return (
    { size, latest: before }: LedgerEnd,
    events: ReadonlyArray<StoredEvent>,
  ): { readonly rows: ReadonlyArray<NewRow>; readonly end: LedgerEnd } => {
    const rows: Array<NewRow> = [];
    let [latest, latestMs] = [before, Date.parse(before)];
    for (const event of events) {
      const category = categoryOf(event.stream);
      const kind = byCategory.get(category);
      if (kind?.hasRow(event) !== true) continue;
      const record = kind.recordOf(event);
      const ms = instantOf(record.at);
      const at = Number.isNaN(ms) ? null : record.at;
      if (at !== null && ms > latestMs) [latest, latestMs] = [at, ms];
      const { entity, revision, name, actor, fields, refs, reason, hash, body } = record;
      const index = size + BigInt(rows.length);
      const isLate = latestMs - ms > LATE_MS;
      const leaf = eventLeaf(event, hash);
      // named one by one: a copy of the record and what is added to it takes several times as long
      const own = { latest, isLate, category, index, leaf };
      rows.push({ entity, revision, name, actor, at, fields, refs, reason, hash, body, ...own });
    }
    return { rows, end: { size: size + BigInt(rows.length), latest } };
  };
};
