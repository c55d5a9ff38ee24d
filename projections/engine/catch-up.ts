import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Checkpoint, From } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import type { ApplyBatch } from './apply-batch.js';
import { Deposed } from './instance/lease.js';
import { type Writer, writeStep } from './write-batch.js';

type CaughtUp = { readonly checkpoint: From; readonly events: number };

type CatchUp = {
  /** Default: the head of the log as it is now. Must be a place in the log. */
  readonly upTo?: Checkpoint;
  /** Ends it after the batch under way. */
  readonly signal: AbortSignal;
};

const isBefore = (from: From, to: Checkpoint): boolean => from === 'start' || from.commit < to.commit;

/**
 * Brings an instance from its checkpoint up to a place in the log by ordinary batches, and then ends. Throws `Deposed`
 * when another writes the instance, and whatever log and database throw.
 */
export const catchUp = async <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  store: Pick<EventStore, 'readAll'>,
  apply: ApplyBatch,
  from: From,
  { upTo, signal }: CatchUp,
): Promise<CaughtUp> => {
  const { pool, projection, instance } = writer;
  let stored = from;
  let count = 0;
  const isThere = (): boolean => upTo !== undefined && !isBefore(stored, upTo);
  const step = async (to: Checkpoint, events: Parameters<ApplyBatch>[1]): Promise<void> => {
    if (!isBefore(stored, to)) return;
    const move = { from: stored, to };
    const role =
      events.length > 0 ? await apply(move, events) : await writeStep(pool, writer, { ...move, last: undefined });
    if (role === undefined) throw new Deposed(instance.name);
    stored = to;
    count += events.length;
  };

  const isOver = (): boolean => isThere() || signal.aborted;

  if (!isOver())
    for await (const { events, checkpoint } of store.readAll({ after: from, categories: [projection.category] })) {
      if (upTo === undefined || isBefore(checkpoint, upTo)) await step(checkpoint, events);
      else
        await step(
          upTo,
          events.filter(({ position }) => position <= upTo.commit),
        );
      if (isOver()) break;
    }
  // a log read to its end has been read up to any place in it
  if (upTo !== undefined && !isOver()) await step(upTo, []);
  return { checkpoint: stored, events: count };
};
