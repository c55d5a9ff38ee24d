import type { ByStream } from '../../../src/event-sourcing/event-store.js';
import { entityIdOf, type Position, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { Projection } from '../../projection.js';
import { newEntity, NOT_A_UUID, type Parking } from '../fold-batch.js';
import { beginFold, foldOn, type FoldedStream } from '../fold-stream.js';
import type { Entity } from '../rows.js';
import { inTransaction } from '../schema.js';
import type { Writer } from '../write-batch.js';
import { isRefusal, park } from '../write-with-parking.js';
import { copyRows, copyText } from './load-rows.js';
import { markLoaded, type PlannedStretch } from './stretches.js';

/** The database refuses a row of a stretch, so none of it was written; the message names the rule. */
export class RowsRefused extends Error {
  readonly _tag = 'RowsRefused';
}

export type LoadingStretch = {
  /** Told of events as they are folded: how many since the last time. */
  readonly onEvents: (count: number) => void;
  readonly signal: AbortSignal;
};

/** Fewer rows than this are not worth a message to the server. */
const WRITTEN_AT_ONCE = 200;

type Folding<State> = {
  readonly parkings: Array<Parking>;
  newest: StoredEvent | undefined;
  /** Of the stream whose end has not been seen yet. */
  last: FoldedStream<State> | undefined;
};

/** Where the events of the stream at `start` end. */
const endOfRun = (events: ReadonlyArray<StoredEvent>, start: number): number => {
  const stream = events[start]?.stream;
  let end = start + 1;
  while (events[end]?.stream === stream && end < events.length) end += 1;
  return end;
};

const finish = <State>(folding: Folding<State>): ReadonlyArray<Entity<State>> => {
  const { last } = folding;
  folding.last = undefined;
  if (last?.parking !== undefined) folding.parkings.push(last.parking);
  return last === undefined || !isUuid(last.entity.id) ? [] : [last.entity];
};

/** A stream that no row can show waits as a whole. */
const withoutRow = <State, Event extends DomainEvent>(
  projection: Projection<State, Event>,
  id: string,
  event: StoredEvent,
): FoldedStream<State> => ({
  entity: newEntity(projection, id, event),
  parking: { event, reason: NOT_A_UUID, waiting: 0 },
});

/** Takes a page and gives the entities whose streams end within it, but for the last. */
const foldPage = <State, Event extends DomainEvent>(
  projection: Projection<State, Event>,
  folding: Folding<State>,
  events: ReadonlyArray<StoredEvent>,
): ReadonlyArray<Entity<State>> => {
  const finished: Array<Entity<State>> = [];
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

async function* rowsOf<State, Event extends DomainEvent>(
  projection: Projection<State, Event>,
  folding: Folding<State>,
  pages: AsyncIterable<ReadonlyArray<StoredEvent>>,
  onEvents: (count: number) => void,
): AsyncGenerator<string> {
  const ready: Array<Entity<State>> = [];
  for await (const events of pages) {
    ready.push(...foldPage(projection, folding, events));
    onEvents(events.length);
    if (ready.length >= WRITTEN_AT_ONCE) yield* copyText(projection, ready.splice(0));
  }
  yield* copyText(projection, [...ready, ...finish(folding)]);
}

/**
 * Folds the streams of a stretch, one at a time, and writes their rows and what is parked of them in one transaction,
 * which marks the stretch as loaded. Ends with the signal's reason when aborted. Throws `RowsRefused`, `Deposed`, and
 * whatever log and database throw; nothing is written then.
 */
export const loadStretch = async <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  order: ByStream,
  stretch: PlannedStretch,
  upTo: Position,
  { onEvents, signal }: LoadingStretch,
): Promise<void> => {
  const folding: Folding<State> = { parkings: [], newest: undefined, last: undefined };
  try {
    await inTransaction(writer.pool, async (client) => {
      // the commit that moves the checkpoint waits for the disk, and so for this one: both are there, or neither
      await client.query('set local synchronous_commit = off');
      const rows = rowsOf(writer.projection, folding, order.read(stretch, upTo), onEvents);
      await copyRows(client, writer, rows, signal);
      for (const parking of folding.parkings) await park(client, writer, parking);
      await markLoaded(client, writer, stretch, folding.newest);
    });
  } catch (error) {
    throw isRefusal(error) ? new RowsRefused(error.message, { cause: error }) : error;
  }
};
