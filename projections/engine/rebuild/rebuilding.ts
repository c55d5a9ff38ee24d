import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { From } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { type ApplyBatch, makeApplyBatch } from '../apply-batch.js';
import { catchUp } from '../catch-up.js';
import { type Instance, readLive } from '../instance/instance.js';
import type { Database } from '../schema.js';
import type { Writer } from '../write-batch.js';

/** An instance beside the live one that a command writes, and how far it is. */
export type Rebuilding<State, Event extends DomainEvent> = {
  readonly writer: Writer<State, Event>;
  /** The live rows that it stands beside; undefined where there are none of this log. */
  readonly live: (database: Database, lock?: 'for update') => Promise<Instance | undefined>;
  readonly signal: AbortSignal;
  readonly checkpoint: () => From;
  /** Takes over a checkpoint that was written otherwise. */
  readonly standAt: (checkpoint: From) => void;
  /** Brings it close to where the live rows are, and never beyond; to the head of the log where there are none. */
  readonly toLive: () => Promise<void>;
  /** Brings it exactly to where another instance is; false when the time was over first, or it is ahead. */
  readonly toLevel: (other: Pick<Instance, 'checkpoint'> | undefined, time: AbortSignal) => Promise<boolean>;
};

/** Fewer events than this are left to the last step, in which others wait. */
const SHORT_TAIL = 200;
const PASSES = 20;

export const makeRebuilding = <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  store: EventStore,
  signal: AbortSignal,
  /** Whether what is live is of another log, and nothing to go by. */
  isReplacing = false,
): Rebuilding<State, Event> => {
  const live: Rebuilding<State, Event>['live'] = (database, lock) =>
    isReplacing ? Promise.resolve(undefined) : readLive(database, writer.projection.name, lock);
  let checkpoint = writer.instance.checkpoint;
  const apply: ApplyBatch = makeApplyBatch(writer, () => undefined);

  const toLive = async (): Promise<void> => {
    for (let pass = 0; pass < PASSES; pass += 1) {
      const other = await live(writer.pool);
      if (other?.checkpoint === 'start') return;
      const upTo = other?.checkpoint;
      const caught = await catchUp(writer, store, apply, checkpoint, { ...(upTo && { upTo }), signal });
      checkpoint = caught.checkpoint;
      if (caught.events < SHORT_TAIL) return;
    }
  };

  return {
    writer,
    live,
    signal,
    checkpoint: () => checkpoint,
    standAt: (given) => void (checkpoint = given),
    toLive,
    toLevel: async (other, time) => {
      if (other === undefined || other.checkpoint === 'start') return other === undefined || checkpoint === 'start';
      const upTo = other.checkpoint;
      if (checkpoint !== 'start' && checkpoint.commit > upTo.commit) return false;
      ({ checkpoint } = await catchUp(writer, store, apply, checkpoint, { upTo, signal: time }));
      signal.throwIfAborted();
      return checkpoint !== 'start' && checkpoint.commit === upTo.commit;
    },
  };
};
