import type { EventKeys } from '../../../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../../../src/event-sourcing/event-store.js';
import { categoryOf, entityIdOf, type StoredEvent } from '../../../../src/event-sourcing/recorded-event.js';
import { followErasures } from '../../../../src/event-sourcing/whole-log/follow-erasures.js';
import type { LogCheck } from '../../../../src/event-sourcing/whole-log/log-check.js';
import type { OnLogFault } from '../../../../src/event-sourcing/whole-log/log-fault.js';
import { type Ledger, sealedBy } from '../../../ledger.js';
import type { NewRow } from '../../ledger/ledger-rows.js';
import { EMPTY, makeNumberRows } from '../../ledger/number-rows.js';
import type { EventKey } from '../../storage.js';
import { tellLedgerFaults } from './ledger-faults.js';
import type { LedgerSource } from './ledger-source.js';
import { makeRowCursor } from './row-cursor.js';
import { type ComparedColumn, differingColumns, textsOf } from './row-texts.js';
import { makeSealRows, type SealedRow } from './sealed-rows.js';

/** Rows that one statement reads. */
const PAGE = 256;
/** Events that are looked up where log and ledger part, so that the comparison finds where they meet again. */
const LOOKED_UP = 64;

type LedgerCheck = LogCheck & {
  /** How many events were compared with their rows, and how many the ledger did not have yet. */
  readonly counts: () => { readonly compared: number; readonly notYet: number };
};

type LedgerCheckOptions = {
  readonly store: Pick<EventStore, 'readStream'>;
  /** By which it is known which erasures count. */
  readonly keys: EventKeys;
  readonly ledger: Ledger;
  readonly source: LedgerSource;
  readonly onFault: OnLogFault;
};

const keyOf = (event: StoredEvent): EventKey => ({
  category: categoryOf(event.stream),
  entity: entityIdOf(event.stream),
  revision: event.revision,
});

/** Whether a row is of this event, whatever else it says. */
const isOf = (row: SealedRow, { category, entity, revision }: EventKey): boolean =>
  row.texts.revision === revision.toString() && row.texts.entity === entity && row.texts.category === category;

const instantOf = (epoch: string | null): string | undefined => {
  const at = new Date(Math.round(Number(epoch ?? NaN) * 1_000));
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** That a clock ran, not that somebody changed the row. */
const OF_ROWS_BEFORE: ReadonlyArray<ComparedColumn> = ['latest', 'is_late'];

/**
 * Compares the log with a ledger, event by event and row by row, and both with the tiles of the tree. Where they part, it
 * looks up where the next events of the log stand in the ledger, and goes on where both meet again: an event that was
 * removed is one fault. With three witnesses it can say which of them was changed: the one that differs from the others.
 * Rejects with `NoLiveRows` where the ledger cannot be compared.
 */
export const makeLedgerCheck = async ({
  store,
  keys,
  ledger,
  source,
  onFault,
}: LedgerCheckOptions): Promise<LedgerCheck> => {
  const { readTiles } = source;
  const numberRows = makeNumberRows(ledger);
  const isSealed = sealedBy(ledger);
  const sealRows = makeSealRows(readTiles, onFault);
  const cursor = makeRowCursor(async (from) => sealRows(await source.rows(from, PAGE)));
  const atStart = await source.extent();
  let { upTo } = atStart;
  /** The index that the next row must have, and the latest time before it. */
  let [nextIndex, latest] = [0n, EMPTY.latest];
  let carried: ReadonlyArray<StoredEvent> = [];
  let isBehind = false;
  const counts = { compared: 0, notYet: 0 };

  const expectedRow = (event: StoredEvent): NewRow | undefined =>
    numberRows({ size: nextIndex, latest }, [event]).rows[0];
  const { stateOf } = await followErasures(store, keys);
  const tell = tellLedgerFaults({ store, source, stateOf, expectedRow, onFault });

  /** Takes the time that the row gives where the log cannot tell it. */
  const adoptTime = (row: SealedRow): void => {
    latest = instantOf(row.texts.latest) ?? latest;
  };

  const pass = (row: SealedRow): void => {
    cursor.next();
    nextIndex = row.index + 1n;
  };

  /** Compares an event with its row. */
  const compare = async (event: StoredEvent, expected: NewRow, row: SealedRow): Promise<void> => {
    counts.compared += 1;
    const columns = differingColumns(textsOf(expected), row.texts);
    await tell.difference(event, expected, row, columns);
    if (columns.some((column) => !OF_ROWS_BEFORE.includes(column))) adoptTime(row);
    else latest = expected.latest;
    pass(row);
  };

  /** Rows were removed from the ledger before this one. */
  const passGap = (events: ReadonlyArray<StoredEvent>, at: number, row: SealedRow): number => {
    const event = events[at];
    const expected = event && expectedRow(event);
    if (event === undefined || expected === undefined || isOf(row, keyOf(event))) {
      const reason = `neither log nor ledger has the events from here to before index ${row.index}`;
      onFault({ kind: 'event-removed', index: Number(nextIndex), reason });
      nextIndex = row.index;
      return at;
    }
    tell.event(event, nextIndex, 'ledger-missing', 'the ledger has no row of this event, which leaves a gap');
    latest = expected.latest;
    nextIndex += 1n;
    return at + 1;
  };

  /** Reports what the one side has and the other has not, up to where both meet again; gives the next event's place. */
  const realign = async (
    events: ReadonlyArray<StoredEvent>,
    at: number,
    row: SealedRow | undefined,
  ): Promise<number> => {
    const next = events.slice(at, at + LOOKED_UP);
    // those behind it need not be in the ledger
    const ahead = next.filter(({ position }, after) => after === 0 || position <= upTo);
    const here = row?.index ?? nextIndex;
    const places = await source.placesOf(ahead.map(keyOf), here);
    let meeting: { readonly after: number; readonly place: bigint; readonly cost: bigint } | undefined;
    for (const [after, place] of places.entries()) {
      if (place === undefined || place < here) continue;
      const cost = BigInt(after) + place - here;
      if (meeting === undefined || cost < meeting.cost) meeting = { after, place, cost };
    }
    const unmatched = meeting?.after ?? ahead.length;
    for (const [after, event] of ahead.slice(0, unmatched).entries()) await tell.unmatched(event, places[after], here);
    for (let skipped = row; meeting !== undefined && skipped !== undefined; skipped = await cursor.peek()) {
      if (skipped.index >= meeting.place) break;
      await tell.surplus(skipped, false);
      adoptTime(skipped);
      pass(skipped);
    }
    return at + unmatched;
  };

  /** Whether the ledger ought to have this event already. */
  const isDue = async ({ position }: StoredEvent): Promise<boolean> => {
    if (position > upTo) ({ upTo } = await source.extent());
    return position <= upTo;
  };

  /** Gives the events that are still to be compared, when more are known. */
  const compareAll = async (
    events: ReadonlyArray<StoredEvent>,
    isEnd: boolean,
  ): Promise<ReadonlyArray<StoredEvent>> => {
    let at = 0;
    for (let event = events[at]; event !== undefined; event = events[at]) {
      let row = await cursor.peek();
      if (row === undefined) {
        if (!(await isDue(event))) {
          isBehind = true;
          counts.notYet += events.length - at;
          return [];
        }
        row = await cursor.peek();
      }
      if (row !== undefined && row.index > nextIndex) {
        at = passGap(events, at, row);
        continue;
      }
      const expected = expectedRow(event);
      if (row !== undefined && expected !== undefined && isOf(row, keyOf(event))) {
        await compare(event, expected, row);
        at += 1;
        continue;
      }
      if (!isEnd && events.length - at < LOOKED_UP) return events.slice(at);
      at = await realign(events, at, row);
    }
    return [];
  };

  return {
    take: async (events) => {
      const ours = events.filter(isSealed);
      if (isBehind) counts.notYet += ours.length;
      else carried = await compareAll([...carried, ...ours], false);
    },
    end: async () => {
      if (isBehind) return;
      carried = await compareAll(carried, true);
      // rows that came later may be of events that came after the log was read
      for (let row = await cursor.peek(); row !== undefined && row.index < atStart.size; row = await cursor.peek()) {
        if (row.index > nextIndex) passGap([], 0, row);
        await tell.surplus(row, true);
        pass(row);
      }
    },
    counts: () => counts,
  };
};
