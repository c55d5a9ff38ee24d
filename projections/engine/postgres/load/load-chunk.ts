import type { Pool } from 'pg';
import type { ByStream } from '../../../../src/event-sourcing/event-store.js';
import { entityIdOf, type Position, type StoredEvent } from '../../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../../src/event-sourcing/uuid.js';
import type { Projection } from '../../../projection.js';
import { rowsRejected } from '../../engine-failure.js';
import { newEntity, NOT_A_UUID, type Parking } from '../../rows/fold-batch.js';
import { beginFold, foldOn, type FoldedStream } from '../../rows/fold-stream.js';
import type { Entity } from '../../rows/rows.js';
import { isRejected } from '../../../../src/postgres/sql-failure.js';
import { inTransaction } from '../../../../src/postgres/transaction.js';
import type { EntityWriter, LoadingChunk, PlannedChunk } from '../../storage.js';
import { park } from '../rows/write-with-parking.js';
import { copyRows, copyText } from './copy-rows.js';
import { markLoaded } from './load-plan.js';

/** Rows that are sent to the server at once, at least. */
const WRITTEN_AT_ONCE = 200;

type Folding = {
  readonly parkings: Array<Parking>;
  newest: StoredEvent | undefined;
  /** The stream that the next page may continue. */
  last: FoldedStream | undefined;
};

/** The index after the last event of the stream that begins at `start`. */
const endOfRun = (events: ReadonlyArray<StoredEvent>, start: number): number => {
  const stream = events[start]?.stream;
  let end = start + 1;
  while (events[end]?.stream === stream && end < events.length) end += 1;
  return end;
};

const finish = (folding: Folding): ReadonlyArray<Entity> => {
  const { last } = folding;
  folding.last = undefined;
  if (last?.parking !== undefined) folding.parkings.push(last.parking);
  return last === undefined || !isUuid(last.entity.id) ? [] : [last.entity];
};

/** A stream whose id is not a UUID has no row: all its events wait. */
const withoutRow = (projection: Projection, id: string, event: StoredEvent): FoldedStream => ({
  entity: newEntity(projection, id, event),
  parking: { event, reason: NOT_A_UUID, waiting: 0 },
});

/** Folds a page and gives the entities whose streams are complete; the last may go on in the next page. */
const foldPage = (
  projection: Projection,
  folding: Folding,
  events: ReadonlyArray<StoredEvent>,
): ReadonlyArray<Entity> => {
  const finished: Array<Entity> = [];
  for (let start = 0; start < events.length;) {
    const end = endOfRun(events, start);
    const run = events.slice(start, end);
    const [first] = run;
    start = end;
    if (first === undefined) break;
    const id = entityIdOf(first.stream);
    if (folding.last?.entity.id !== id) finished.push(...finish(folding));
    const known = folding.last ?? (isUuid(id) ? beginFold(projection, first) : withoutRow(projection, id, first));
    folding.last = foldOn(projection, known, run);
  }
  for (const event of events)
    if (folding.newest === undefined || event.position > folding.newest.position) folding.newest = event;
  return finished;
};

async function* rowsOf(
  projection: Projection,
  folding: Folding,
  pages: AsyncIterable<ReadonlyArray<StoredEvent>>,
  onEvents: (count: number) => void,
): AsyncGenerator<string> {
  const ready: Array<Entity> = [];
  for await (const events of pages) {
    ready.push(...foldPage(projection, folding, events));
    onEvents(events.length);
    if (ready.length >= WRITTEN_AT_ONCE) yield* copyText(projection, ready.splice(0));
  }
  yield* copyText(projection, [...ready, ...finish(folding)]);
}

/**
 * Folds the streams of a chunk, one at a time. Writes their rows, parks those that cannot be projected and marks the
 * chunk as loaded, in one transaction. Ends with the signal's reason when aborted. Throws `RowsRejected`, `LeaseLost`,
 * and whatever log and database throw; nothing is written then.
 */
export const loadChunk = async (
  pool: Pool,
  writer: EntityWriter,
  order: ByStream,
  chunk: PlannedChunk,
  upTo: Position,
  { onEvents, signal }: LoadingChunk,
): Promise<void> => {
  const folding: Folding = { parkings: [], newest: undefined, last: undefined };
  try {
    await inTransaction(pool, async (client) => {
      // safe: the later commit that moves the checkpoint waits for the disk, and the disk then has this one, too
      await client.query('set local synchronous_commit = off');
      const rows = rowsOf(writer.projection, folding, order.read(chunk, upTo), onEvents);
      await copyRows(client, writer, rows, signal);
      for (const parking of folding.parkings) await park(client, writer, parking);
      await markLoaded(client, writer, chunk, folding.newest);
    });
  } catch (error) {
    throw isRejected(error) ? rowsRejected(error.message, error) : error;
  }
};
