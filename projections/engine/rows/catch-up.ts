import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { leaseLost } from '../engine-failure.js';
import type { ApplyBatch } from './apply-batch.js';
import { mergeBatches } from './merge-batches.js';
import { type Writer, writeStep } from './write-batch.js';

type CaughtUp = { readonly checkpoint: From; readonly events: number };

type CatchUp = {
  /** Default: the head of the log as it is now. Must be a position in the log. */
  readonly upTo?: Checkpoint;
  /** Ends it after the batch under way. */
  readonly signal: AbortSignal;
  /** Many events are to come: the log is read ahead, and large batches are written. */
  readonly isLong?: boolean;
  /** After each batch: events so far, and the checkpoint. */
  readonly onBatch?: (events: number, checkpoint: Checkpoint) => void;
};

/** Of a long way: one batch, at most, and what is read ahead while it is written. */
const LONG = { events: 2_500, bytes: 8_000_000 };

const isBefore = (from: From, to: Checkpoint): boolean => from === 'start' || from.commit < to.commit;

/**
 * Brings a generation from its checkpoint up to a position in the log by ordinary batches, and then ends. Throws
 * `LeaseLost` when another writes the generation, and whatever log and database throw.
 */
export const catchUp = async (
  writer: Writer,
  store: Pick<EventStore, 'readAll'>,
  apply: ApplyBatch,
  from: From,
  { upTo, signal, isLong = false, onBatch = () => undefined }: CatchUp,
): Promise<CaughtUp> => {
  const { pool, projection, generation } = writer;
  let stored = from;
  let count = 0;
  const step = async (to: Checkpoint, events: ReadonlyArray<StoredEvent>): Promise<void> => {
    if (!isBefore(stored, to)) return;
    const move = { from: stored, to };
    const role =
      events.length > 0 ? await apply(move, events) : await writeStep(pool, writer, { ...move, last: undefined });
    if (role === undefined) throw leaseLost(generation.name);
    stored = to;
    count += events.length;
    onBatch(count, to);
  };

  const isOver = (): boolean => signal.aborted || (upTo !== undefined && !isBefore(stored, upTo));
  const range = { after: from, categories: [projection.category] };
  const batches = isLong ? mergeBatches(() => store.readAll(range), LONG, signal) : store.readAll(range);
  if (!isOver())
    for await (const { events, checkpoint } of batches) {
      if (upTo === undefined || isBefore(checkpoint, upTo)) await step(checkpoint, events);
      else
        await step(
          upTo,
          events.filter(({ position }) => position <= upTo.commit),
        );
      if (isOver()) break;
    }
  // a log that was read to its end has been read up to any position in it
  if (upTo !== undefined && !isOver()) await step(upTo, []);
  return { checkpoint: stored, events: count };
};
