import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { leafHash } from '../../../src/seal/hash.js';
import { appendLeaves, type TreeEdge } from '../../../src/seal/tree-edge.js';
import type { ApplyBatch } from '../rows/prepared-batch.js';
import type { LedgerBatch, LedgerRows, LedgerWriter } from '../storage.js';
import { type LedgerEnd, makeNumberRows } from './number-rows.js';
import { readTreeEdge } from './tree-edge.js';

/** Where the ledger and its tree go on. */
type End = LedgerEnd & { readonly edge: TreeEdge };

const readEnd = async (stored: LedgerRows): Promise<End> => {
  const end = await stored.end();
  return { ...end, edge: await readTreeEdge(stored, Number(end.size)) };
};

/**
 * As `makeApplyBatch`, for a read model with a row for each event: appends rows, numbers them on from those that are there,
 * and adds their leaves to the tree. Only the holder of the lease appends, so the end is looked up once.
 */
export const makeApplyToLedger = (writer: LedgerWriter, stored: LedgerRows): ApplyBatch => {
  const numberRows = makeNumberRows(writer.projection);
  let end: End | undefined;

  const fold = (
    before: End,
    events: ReadonlyArray<StoredEvent>,
  ): { readonly batch: LedgerBatch; readonly end: End } => {
    const { rows, end: after } = numberRows(before, events);
    const { edge, tiles } = appendLeaves(
      before.edge,
      rows.map(({ leaf }) => leafHash(leaf)),
    );
    return { batch: { rows, tiles }, end: { ...after, edge } };
  };

  return {
    prepare: async (events) => {
      const folded = fold(end ?? (await readEnd(stored)), events);
      ({ end } = folded);
      const write = stored.prepare(folded.batch);
      return { events, write: (move) => write({ ...move, last: events.at(-1) }) };
    },
    readAhead: async () => {
      const before = end ?? (await readEnd(stored));
      end = undefined;
      return (step, events) => ({ rowFor: 'event', writer, step, batch: fold(before, events).batch });
    },
  };
};
