import { either as E } from 'fp-ts';
import type { EventStore } from '../../../../src/event-sourcing/event-store.js';
import { extendChain, lacksData, statedEnd } from '../../../../src/event-sourcing/hash-chain.js';
import { readEvent } from '../../../../src/event-sourcing/read-event.js';
import { categoryOf, entityIdOf, type StoredEvent } from '../../../../src/event-sourcing/recorded-event.js';
import type { Lacking, LogCheck } from '../../../../src/event-sourcing/whole-log/log-check.js';
import type { LogFault, OnLogFault } from '../../../../src/event-sourcing/whole-log/log-fault.js';
import { leafHash } from '../../../../src/seal/hash.js';
import { type Ledger, sealedBy } from '../../../ledger.js';
import type { NewRow } from '../../ledger/ledger-rows.js';
import { EMPTY, makeNumberRows } from '../../ledger/number-rows.js';
import type { EventKey } from '../../storage.js';
import type { LedgerSource } from './ledger-source.js';
import { makeRowCursor } from './row-cursor.js';
import { type ComparedColumn, differingColumns, textsOf } from './row-texts.js';
import { makeSealRows, sealedAt, type SealedRow } from './sealed-rows.js';

/** Rows that one statement reads. */
const PAGE = 256;
/** Events that are looked up where log and ledger part, so that the comparison finds where they meet again. */
const LOOKED_UP = 64;
/** Faults that are looked into one by one; of those after them only the plainest kind is said. */
const LOOKED_INTO = 200;

type LedgerCheck = LogCheck & {
  /** How many events were compared with their rows, and how many the ledger did not have yet. */
  readonly counts: () => { readonly compared: number; readonly notYet: number };
};

type LedgerCheckOptions = {
  readonly store: Pick<EventStore, 'readStream'>;
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

const streamOf = ({ texts }: SealedRow): `${string}-${string}` => `${texts.category ?? ''}-${texts.entity ?? ''}`;

const revisionOf = ({ texts }: SealedRow): bigint => BigInt(texts.revision ?? 0);

/** Whether an event is as it was hashed: whether the event before it is the one that it follows is not asked. */
const isWhole = (event: StoredEvent): boolean => E.isRight(extendChain(statedEnd(event), event));

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
export const makeLedgerCheck = async ({ store, ledger, source, onFault }: LedgerCheckOptions): Promise<LedgerCheck> => {
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
  const lackingOf = new WeakMap<StoredEvent, Lacking>();
  let isBehind = false;
  let lookedInto = 0;
  const counts = { compared: 0, notYet: 0 };
  /** Events that were reported as moved, from the one side or the other. */
  const moved = new Set<string>();

  const reportEvent = (event: StoredEvent, index: bigint, kind: LogFault['kind'], reason: string): void => {
    const { stream, revision, id } = event;
    onFault({ kind, index: Number(index), stream, revision, id, reason });
  };
  const reportRow = (row: SealedRow, kind: LogFault['kind'], reason: string): void =>
    onFault({ kind, index: Number(row.index), stream: streamOf(row), revision: revisionOf(row), reason });

  const expectedRow = (event: StoredEvent): NewRow | undefined =>
    numberRows({ size: nextIndex, latest }, [event]).rows[0];

  /** Takes the time that the row gives where the log cannot tell it. */
  const adoptTime = (row: SealedRow): void => {
    latest = instantOf(row.texts.latest) ?? latest;
  };

  const pass = (row: SealedRow): void => {
    cursor.next();
    nextIndex = row.index + 1n;
  };

  /** The log has an event where no row is. */
  const reportUnmatched = async (
    event: StoredEvent,
    place: bigint | undefined,
    row: SealedRow | undefined,
  ): Promise<void> => {
    const index = row?.index ?? nextIndex;
    if (place !== undefined) {
      reportMoved(event.stream, event.revision, () =>
        reportEvent(event, index, 'event-moved', `the log has this event here, the ledger at index ${place}`),
      );
      return;
    }
    const leaf = expectedRow(event)?.leaf;
    lookedInto += 1;
    const sealed = lookedInto > LOOKED_INTO ? undefined : await sealedAt(readTiles, index);
    if (leaf !== undefined && sealed?.equals(leafHash(leaf)) === true)
      reportEvent(event, index, 'ledger-missing', 'the ledger has no row of this event; log and tiles have it');
    else reportEvent(event, index, 'event-inserted', 'the log has an event here that the ledger does not have');
  };

  const reportMoved = (stream: string, revision: bigint, report: () => void): void => {
    const name = `${stream} ${revision}`;
    if (moved.has(name)) return;
    if (moved.size < LOOKED_INTO) moved.add(name);
    report();
  };

  /** The ledger has a row where the log has no event. */
  const reportSurplus = async (row: SealedRow, isEnd: boolean): Promise<void> => {
    const [stream, revision] = [streamOf(row), revisionOf(row)];
    lookedInto += 1;
    const found = lookedInto > LOOKED_INTO ? undefined : await readEvent(store, stream, revision);
    if (found !== undefined && expectedRow(found)?.leaf.equals(row.leaf) === true) {
      reportMoved(stream, revision, () =>
        reportRow(row, 'event-moved', 'the ledger has this event here, the log at another place'),
      );
      return;
    }
    if (row.sealed !== undefined && !row.sealed.equals(row.leafHash))
      reportRow(row, 'ledger-surplus', 'the ledger has a row here that is not in the log, and not in the tiles');
    else if (isEnd) reportRow(row, 'end-cut', 'the log ends before this event, which the ledger has');
    else reportRow(row, 'event-removed', 'the ledger has an event here that the log does not have');
  };

  const leafFault = (event: StoredEvent, expected: NewRow, row: SealedRow): void => {
    const report = (kind: LogFault['kind'], reason: string): void => reportEvent(event, row.index, kind, reason);
    if (row.sealed?.equals(leafHash(expected.leaf)) === true)
      report('ledger-changed', 'the row of the ledger was changed: log and tiles have another hash of this event');
    else if (row.sealed?.equals(row.leafHash) === true)
      report('event-changed', 'the log has another event here than ledger and tiles');
    else report('event-changed', 'the log has another event here than the ledger');
  };

  /** Whether the row of an event still differs that was read before the event, which has been erased since. */
  const stillDiffers = async (expected: NewRow, { index }: SealedRow): Promise<boolean> => {
    const [now] = await source.rows(index, 1);
    return now?.index !== index || differingColumns(textsOf(expected), now.texts).length > 0;
  };

  const reportWithoutData = async (event: StoredEvent, expected: NewRow, row: SealedRow): Promise<void> => {
    const why = lackingOf.get(event) ?? 'Missing';
    // the rows are written anew behind the keys, and before it is recorded
    if (why === 'BeingErased' || (why === 'Erased' && !(await stillDiffers(expected, row)))) return;
    if (why === 'Erased')
      reportEvent(event, row.index, 'not-erased', 'the event is erased, and the ledger still has it');
    else
      reportEvent(
        event,
        row.index,
        'event-changed',
        'the data of the event was taken out of the log, and the ledger still has it: keep the ledger, it may be the last copy',
      );
  };

  /** Compares an event with its row. */
  const compare = async (event: StoredEvent, expected: NewRow, row: SealedRow): Promise<void> => {
    counts.compared += 1;
    const columns = differingColumns(textsOf(expected), row.texts);
    const isSameLeaf = expected.leaf.equals(row.leaf);
    if (!isSameLeaf) leafFault(event, expected, row);
    else if (columns.length > 0) {
      const named = columns.join(', ');
      if (lacksData(event)) await reportWithoutData(event, expected, row);
      else if (isWhole(event))
        reportEvent(event, row.index, 'ledger-changed', `the row of the ledger was changed, in ${named}`);
      else
        reportEvent(event, row.index, 'event-changed', `the log has another event here than the ledger, in ${named}`);
    }
    if (isSameLeaf && row.sealed !== undefined && !row.sealed.equals(row.leafHash))
      reportEvent(event, row.index, 'tile-changed', 'the tile has another hash here than log and ledger');
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
    reportEvent(event, nextIndex, 'ledger-missing', 'the ledger has no row of this event, which leaves a gap');
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
    for (const [after, event] of ahead.slice(0, unmatched).entries()) await reportUnmatched(event, places[after], row);
    for (let skipped = row; meeting !== undefined && skipped !== undefined; skipped = await cursor.peek()) {
      if (skipped.index >= meeting.place) break;
      await reportSurplus(skipped, false);
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
    take: async (events, lacking) => {
      const ours = events.filter(isSealed);
      for (const event of ours) {
        const why = lacking?.get(event);
        if (why !== undefined) lackingOf.set(event, why);
      }
      if (isBehind) counts.notYet += ours.length;
      else carried = await compareAll([...carried, ...ours], false);
    },
    end: async () => {
      if (isBehind) return;
      carried = await compareAll(carried, true);
      // rows that came later may be of events that came after the log was read
      for (let row = await cursor.peek(); row !== undefined && row.index < atStart.size; row = await cursor.peek()) {
        if (row.index > nextIndex) passGap([], 0, row);
        await reportSurplus(row, true);
        pass(row);
      }
    },
    counts: () => counts,
  };
};
