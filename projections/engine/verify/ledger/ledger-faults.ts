import { either as E } from 'fp-ts';
import type { EventStore } from '../../../../src/event-sourcing/event-store.js';
import { asErased } from '../../../../src/event-sourcing/encryption/at-rest.js';
import { extendChain, lacksData, statedEnd } from '../../../../src/event-sourcing/hash-chain.js';
import { readEvent } from '../../../../src/event-sourcing/read-event.js';
import type { StoredEvent } from '../../../../src/event-sourcing/recorded-event.js';
import type { ErasureState } from '../../../../src/event-sourcing/whole-log/follow-erasures.js';
import type { LogFault, OnLogFault } from '../../../../src/event-sourcing/whole-log/log-fault.js';
import { leafHash } from '../../../../src/seal/hash.js';
import type { NewRow } from '../../ledger/ledger-rows.js';
import type { LedgerSource } from './ledger-source.js';
import { type ComparedColumn, differingColumns, textsOf } from './row-texts.js';
import { sealedAt, type SealedRow } from './sealed-rows.js';

/** Faults that are looked into one by one; of those after them only the plainest kind is said. */
const LOOKED_INTO = 200;

const streamOf = ({ texts }: SealedRow): `${string}-${string}` => `${texts.category ?? ''}-${texts.entity ?? ''}`;

const revisionOf = ({ texts }: SealedRow): bigint => BigInt(texts.revision ?? 0);

/** Whether an event is as it was hashed: whether the event before it is the one that it follows is not asked. */
const isWhole = (event: StoredEvent): boolean => E.isRight(extendChain(statedEnd(event), event));

type LedgerFaultsOptions = {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly source: Pick<LedgerSource, 'readTiles' | 'rows'>;
  readonly stateOf: (event: StoredEvent) => Promise<ErasureState>;
  /** The row that an event would be in, were it the next one of the ledger. */
  readonly expectedRow: (event: StoredEvent) => NewRow | undefined;
  readonly onFault: OnLogFault;
};

/** Tells what is wrong where a log and its ledger part. */
type LedgerFaults = {
  readonly event: (event: StoredEvent, index: bigint, kind: LogFault['kind'], reason: string) => void;
  /** The log has an event at an index where no row of it is; `place`: where the ledger has it. */
  readonly unmatched: (event: StoredEvent, place: bigint | undefined, index: bigint) => Promise<void>;
  /** The ledger has a row where the log has no event. */
  readonly surplus: (row: SealedRow, isEnd: boolean) => Promise<void>;
  /** What differs of an event and its row, in these columns or in its leaf. */
  readonly difference: (
    event: StoredEvent,
    expected: NewRow,
    row: SealedRow,
    columns: ReadonlyArray<ComparedColumn>,
  ) => Promise<void>;
};

/** Looks into each fault before it is told, as long as there are few. */
export const tellLedgerFaults = ({
  store,
  source,
  stateOf,
  expectedRow,
  onFault,
}: LedgerFaultsOptions): LedgerFaults => {
  const { readTiles } = source;
  let lookedInto = 0;
  /** Events that were reported as moved, from the one side or the other. */
  const moved = new Set<string>();

  const reportEvent = (event: StoredEvent, index: bigint, kind: LogFault['kind'], reason: string): void => {
    const { stream, revision, id } = event;
    onFault({ kind, index: Number(index), stream, revision, id, reason });
  };
  const reportRow = (row: SealedRow, kind: LogFault['kind'], reason: string): void =>
    onFault({ kind, index: Number(row.index), stream: streamOf(row), revision: revisionOf(row), reason });

  const reportUnmatched = async (event: StoredEvent, place: bigint | undefined, index: bigint): Promise<void> => {
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

  /** Whether an event is being erased, and its row was written without its key, which is still remembered here. */
  const isErasedRow = async (event: StoredEvent, { texts }: SealedRow): Promise<boolean> => {
    const erased = expectedRow(asErased(event));
    const isSame = erased !== undefined && differingColumns(textsOf(erased), texts).length === 0;
    return isSame && (await stateOf(event)) !== 'NotErased';
  };

  const reportWithoutData = async (event: StoredEvent, expected: NewRow, row: SealedRow): Promise<void> => {
    const state = await stateOf(event);
    // the rows are written anew behind the keys, and before it is recorded
    if (state === 'BeingErased' || (state === 'Erased' && !(await stillDiffers(expected, row)))) return;
    if (state === 'Erased')
      reportEvent(event, row.index, 'not-erased', 'the event is erased, and the ledger still has it');
    else
      reportEvent(
        event,
        row.index,
        'event-changed',
        'the data of the event was taken out of the log, and the ledger still has it: keep the ledger, it may be the last copy',
      );
  };

  const reportDifference: LedgerFaults['difference'] = async (event, expected, row, columns) => {
    const isSameLeaf = expected.leaf.equals(row.leaf);
    if (!isSameLeaf) leafFault(event, expected, row);
    else if (columns.length > 0) {
      const named = columns.join(', ');
      if (lacksData(event)) await reportWithoutData(event, expected, row);
      else if (!isWhole(event))
        reportEvent(event, row.index, 'event-changed', `the log has another event here than the ledger, in ${named}`);
      else if (!(await isErasedRow(event, row)))
        reportEvent(event, row.index, 'ledger-changed', `the row of the ledger was changed, in ${named}`);
    }
    if (isSameLeaf && row.sealed !== undefined && !row.sealed.equals(row.leafHash))
      reportEvent(event, row.index, 'tile-changed', 'the tile has another hash here than log and ledger');
  };

  return {
    event: reportEvent,
    unmatched: reportUnmatched,
    surplus: reportSurplus,
    difference: reportDifference,
  };
};
