import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { repeat } from '../../../src/event-sourcing/clock.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { ReadModel } from '../../read-model.js';
import type { OnEngineEvent } from '../engine-event.js';
import { dropOutdated } from '../generation/drop-outdated.js';
import { liveOf, previousOf } from '../generation/generation.js';
import { newHolder } from '../generation/lease.js';
import { whileHeld } from '../generation/while-held.js';
import { makeApplyBatch } from '../rows/apply-batch.js';
import { catchUp } from '../rows/catch-up.js';
import { withSkips } from '../parked/skips.js';
import { makeTaskRunner } from '../run-task.js';
import type { ReadModelStorage } from '../storage.js';

/** How far previous rows may be behind, ms: nobody reads them, and writing them in large batches is much cheaper. */
const UPDATE_MS = 1_000;
const TIDY_MS = 60_000;

type UpdatePrevious = {
  readonly runtime: Runtime;
  readonly storage: ReadModelStorage;
  readonly store: EventStore;
  readonly projection: ReadModel;
  /** How long previous rows are kept, ms. */
  readonly windowMs: number;
  /** Whether the live rows are known to be of this log; otherwise the previous rows are not updated. */
  readonly isSameLog: () => boolean;
  readonly onEvent: OnEngineEvent;
};

/**
 * Keeps the previous rows about a second behind the live ones, never ahead of them, until `windowMs` is over; then
 * drops them. While the live rows are of another version it leaves them alone: a projector of this version needs their
 * lease to take over. What fails is tried again.
 */
export const updatePrevious = async (
  { runtime: { clock, random }, storage, store, projection, windowMs, isSameLog, onEvent }: UpdatePrevious,
  signal: AbortSignal,
): Promise<void> => {
  const holder = newHolder(random);
  const runnerOf = (name: string) => makeTaskRunner({ projection: projection.name, name, onEvent });
  const [updating, tidying] = [runnerOf('updating the previous rows'), runnerOf('dropping outdated rows')];
  let tidiedAt = -Infinity;

  const tidy = async (): Promise<void> => {
    if (clock.monotonic() - tidiedAt < TIDY_MS) return;
    tidiedAt = clock.monotonic();
    await dropOutdated(storage, projection, windowMs);
  };

  /** Updates the rows while they are the previous ones and the lease is held. */
  const update = async (): Promise<void> => {
    const generation = isSameLog() ? previousOf(await storage.generations(projection.name), projection) : undefined;
    const lease = generation && (await storage.acquire(generation.name, holder, false));
    if (generation === undefined || lease === undefined) return;
    const writer = { projection: await withSkips(store, projection), generation, lease, notifies: false };
    // parked entities are not reported: the live rows have the same
    const apply = makeApplyBatch(storage, writer, { onEvent: () => undefined });
    let { checkpoint } = generation;
    await whileHeld(clock, storage, lease, signal, async (held) => {
      do {
        const generations = await storage.generations(projection.name);
        const live = liveOf(generations);
        if (previousOf(generations, projection)?.name !== generation.name || !isSameLog()) return;
        if (live !== undefined && live.checkpoint !== 'start') {
          const upTo = live.checkpoint;
          ({ checkpoint } = await catchUp(writer, store, apply, checkpoint, { clock, upTo, signal: held }));
        }
        await tidying(tidy);
      } while (await clock.sleep(UPDATE_MS, held));
    });
    await storage.release(lease);
  };

  await repeat(clock, UPDATE_MS, signal, async () => {
    await updating(update);
    await tidying(tidy);
  });
};
