import type { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { ReadModel } from '../../read-model.js';
import { attemptInEngine, type EngineError, type EngineFailure, notAllowed } from '../engine-failure.js';
import { liveOf, previousOf } from '../generation/generation.js';
import { newHolder } from '../generation/lease.js';
import { whileHeld } from '../generation/while-held.js';
import { requireSameLog } from '../generation/provenance.js';
import type { ReadModelStorage } from '../storage.js';
import { Rebuilding } from './rebuilding.js';
import { type SwitchedTo, switchTo } from './switch-to.js';

type Rollback = {
  readonly runtime: Runtime;
  readonly storage: ReadModelStorage;
  readonly store: EventStore;
  readonly projection: ReadModel;
  readonly signal: AbortSignal;
};

const nothingToGoBackTo = (name: string): EngineError =>
  notAllowed(
    `there are no rows of "${name}" to go back to. None were replaced within ROLLBACK_WINDOW, or another version ` +
      'of the program made them: start that version, and it goes on with them',
  );

const run = async ({ runtime, storage, store, projection, signal }: Rollback): Promise<SwitchedTo> => {
  const { name } = projection;
  await storage.migrate();
  const generations = await storage.generations(name);
  const [previous, live] = [previousOf(generations, projection), liveOf(generations)];
  for (const rows of [live, previous]) if (rows !== undefined) await requireSameLog(store, name, rows);
  if (previous === undefined) throw nothingToGoBackTo(name);
  // taken from the service, which keeps these rows up to date: it notices that it has lost the lease
  const lease = await storage.acquire(previous.name, newHolder(runtime.random), true);
  if (lease === undefined) throw nothingToGoBackTo(name);
  try {
    return await whileHeld(runtime.clock, storage, lease, signal, async (held) => {
      // read again, now that nobody else writes it
      const generation = previousOf(await storage.generations(name), projection);
      if (generation?.name !== previous.name) throw nothingToGoBackTo(name);
      const writer = { projection, generation, lease, notifies: false };
      return switchTo(new Rebuilding({ runtime, storage, writer, store, signal: held }));
    });
  } finally {
    await storage.release(lease);
  }
};

/**
 * Switches back to the previous rows, those that were replaced last. A second rollback switches forth again.
 * `NotAllowed` when there are none. Rejects with what log and database throw, and with the signal's reason when
 * aborted.
 */
export const rollBack = (rollback: Rollback): Promise<E.Either<EngineFailure, SwitchedTo>> =>
  attemptInEngine(() => run(rollback));
