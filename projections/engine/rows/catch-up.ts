import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { leaseLost } from '../engine-failure.js';
import { categoriesOf } from '../../read-model.js';
import type { ApplyBatch, PreparedBatch } from './prepared-batch.js';
import { mergeBatches } from './merge-batches.js';
import type { Writer } from '../storage.js';

type CaughtUp = { readonly checkpoint: From; readonly events: number };

type CatchUp = {
  readonly clock: Clock;
  /** A position in the log; default: its present head. */
  readonly upTo?: Checkpoint;
  /** Ends the work after the current batch. */
  readonly signal: AbortSignal;
  /** For many events: reads ahead, and writes large batches. */
  readonly isLong?: boolean;
  /** After each batch: events so far, and the checkpoint. */
  readonly onBatch?: (events: number, checkpoint: Checkpoint) => void;
};

/** With `isLong`: how large batches are, and how much is read ahead while one is written. */
const LONG = { events: 5_000, bytes: 16_000_000, isFull: true };

const isBefore = (from: From, to: Checkpoint): boolean => from === 'start' || from.commit < to.commit;

/**
 * Applies the events between a generation's checkpoint and a position in the log, and moves the checkpoint there.
 * While a batch is written, the next one is read and prepared.
 * Throws `LeaseLost` when another process writes the generation, and whatever log and database throw.
 */
export const catchUp = async (
  writer: Writer,
  store: Pick<EventStore, 'readAll'>,
  apply: ApplyBatch,
  from: From,
  { clock, upTo, signal, isLong = false, onBatch = () => undefined }: CatchUp,
): Promise<CaughtUp> => {
  const { projection, generation } = writer;
  let [taken, stored] = [from, from];
  let count = 0;
  /** The batch before the one that is read and prepared. */
  let writing = Promise.resolve();

  const write = async (step: Parameters<PreparedBatch['write']>[0], batch: PreparedBatch): Promise<void> => {
    if ((await batch.write(step)) === undefined) throw leaseLost(generation.name);
    stored = step.to;
    count += batch.events.length;
    onBatch(count, step.to);
  };

  const take = async (to: Checkpoint, events: ReadonlyArray<StoredEvent>): Promise<void> => {
    if (!isBefore(taken, to)) return;
    // the statement of the batch before is sent first: preparing takes the thread for long
    await new Promise<void>((resolve) => clock.soon(resolve));
    const batch = await apply.prepare(events);
    await writing;
    writing = write({ from: taken, to }, batch);
    writing.catch(() => undefined); // it is awaited later
    taken = to;
  };

  const isOver = (): boolean => signal.aborted || (upTo !== undefined && !isBefore(taken, upTo));
  const range = { after: from, categories: categoriesOf(projection) };
  const batches = isLong ? mergeBatches(() => store.readAll(range), LONG, signal) : store.readAll(range);
  try {
    if (!isOver())
      for await (const { events, checkpoint } of batches) {
        if (upTo === undefined || isBefore(checkpoint, upTo)) await take(checkpoint, events);
        else
          await take(
            upTo,
            events.filter(({ position }) => position <= upTo.commit),
          );
        if (isOver()) break;
      }
    // the log was read to its end, and so up to `upTo`
    if (upTo !== undefined && !isOver()) await take(upTo, []);
    await writing;
  } finally {
    // nothing is written any more when the caller goes on
    await Promise.allSettled([writing]);
  }
  return { checkpoint: stored, events: count };
};
