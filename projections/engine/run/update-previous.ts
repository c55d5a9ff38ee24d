import type { Pool } from 'pg';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import type { Projection } from '../../projection.js';
import type { OnEngineEvent } from '../engine-event.js';
import { dropOutdated } from '../generation/drop-outdated.js';
import { readLive, readPrevious } from '../generation/generation.js';
import { acquireLease, newHolder, releaseLease, whileHeld } from '../generation/lease.js';
import { makeApplyBatch } from '../rows/apply-batch.js';
import { catchUp } from '../rows/catch-up.js';
import { makeTurns, repeat } from '../run-task.js';

/** Rows that nobody reads may be this old: writing them rarely, in large batches, costs a fraction. */
const UPDATE_MS = 1_000;
const TIDY_MS = 60_000;

type UpdatePrevious = {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: Projection;
  /** How long replaced rows are kept, ms. */
  readonly windowMs: number;
  /** Whether the live rows are known to be of this log: those before them are updated from no other. */
  readonly isSameLog: () => boolean;
  readonly onEvent: OnEngineEvent;
};

/**
 * Keeps the rows that were replaced last about a second behind the live ones, and never before them, until the window
 * is over and they are dropped. What fails is tried again: nobody reads these rows.
 */
export const updatePrevious = async (
  { pool, store, projection, windowMs, isSameLog, onEvent }: UpdatePrevious,
  signal: AbortSignal,
): Promise<void> => {
  const holder = newHolder();
  const turns = (name: string) => makeTurns({ projection: projection.name, name, onEvent });
  const [updating, tidying] = [turns('updating the previous rows'), turns('dropping outdated rows')];
  let tidiedAt = -Infinity;

  const tidy = async (): Promise<void> => {
    if (performance.now() - tidiedAt < TIDY_MS) return;
    tidiedAt = performance.now();
    await dropOutdated(pool, projection, windowMs);
  };

  /** For as long as these are the previous rows, and the lease is ours. */
  const update = async (): Promise<void> => {
    const generation = isSameLog() ? await readPrevious(pool, projection) : undefined;
    const lease = generation && (await acquireLease(pool, generation.name, holder, false));
    if (generation === undefined || lease === undefined) return;
    const writer = { pool, projection, generation, lease, notifies: false };
    // what cannot be projected was reported when these rows were live
    const apply = makeApplyBatch(writer, () => undefined);
    let { checkpoint } = generation;
    await whileHeld(pool, lease, signal, async (held) => {
      do {
        const [previous, live] = [await readPrevious(pool, projection), await readLive(pool, projection.name)];
        if (previous?.name !== generation.name || !isSameLog()) return;
        if (live !== undefined && live.checkpoint !== 'start') {
          const upTo = live.checkpoint;
          ({ checkpoint } = await catchUp(writer, store, apply, checkpoint, { upTo, signal: held }));
        }
        await tidying(tidy);
      } while (await pause(UPDATE_MS, held));
    });
    await releaseLease(pool, lease);
  };

  await repeat(UPDATE_MS, signal, async () => {
    await updating(update);
    await tidying(tidy);
  });
};
