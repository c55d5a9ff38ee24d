import type { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { attemptInEngine, type EngineError, type EngineFailure, notAllowed } from '../engine-failure.js';
import { readLive, readPrevious } from '../generation/generation.js';
import { acquireLease, newHolder, releaseLease, whileHeld } from '../generation/lease.js';
import { requireSameLog } from '../generation/provenance.js';
import { migrateReadModels } from '../generation/schema.js';
import { Rebuilding } from './rebuilding.js';
import { type SwitchedTo, switchTo } from './switch-to.js';

type Rollback = {
  readonly runtime: Runtime;
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: ReadModel;
  readonly signal: AbortSignal;
};

const nothingToGoBackTo = (name: string): EngineError =>
  notAllowed(
    `there are no rows of "${name}" to go back to. None were replaced within ROLLBACK_WINDOW, or another version ` +
      'of the program made them: start that version, and it goes on with them',
  );

const run = async ({ runtime, pool, store, projection, signal }: Rollback): Promise<SwitchedTo> => {
  const { name } = projection;
  await migrateReadModels(pool);
  const [previous, live] = [await readPrevious(pool, projection), await readLive(pool, name)];
  for (const rows of [live, previous]) if (rows !== undefined) await requireSameLog(store, name, rows);
  if (previous === undefined || live?.version !== versionOf(projection)) throw nothingToGoBackTo(name);
  // taken from the service, which keeps these rows up to date: it notices that it has lost the lease
  const lease = await acquireLease(pool, previous.name, newHolder(runtime.random), true);
  if (lease === undefined) throw nothingToGoBackTo(name);
  try {
    return await whileHeld(runtime.clock, pool, lease, signal, async (held) => {
      // read again, now that nobody else writes it
      const generation = await readPrevious(pool, projection);
      if (generation?.name !== previous.name) throw nothingToGoBackTo(name);
      const writer = { pool, projection, generation, lease, notifies: false };
      return switchTo(new Rebuilding({ runtime, writer, store, signal: held }));
    });
  } finally {
    await releaseLease(pool, lease);
  }
};

/**
 * Switches back to the previous rows, those that were replaced last. A second rollback switches forth again.
 * `NotAllowed` when there are none. Rejects with what log and database throw, and with the signal's reason when
 * aborted.
 */
export const rollBack = (rollback: Rollback): Promise<E.Either<EngineFailure, SwitchedTo>> =>
  attemptInEngine(() => run(rollback));
