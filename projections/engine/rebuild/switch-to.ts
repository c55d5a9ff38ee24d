import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { ReadModel } from '../../read-model.js';
import { failureIn, notAllowed } from '../engine-failure.js';
import type { GenerationState } from '../generation/generation.js';
import { EXAMINE_MS } from '../generation/provenance.js';
import type { ReadModelStorage } from '../storage.js';
import type { Rebuilding } from './rebuilding.js';

/** Throws `NotAllowed` while a process writes rows of another log, which it has not noticed. */
const requireNoWriter = (generations: ReadonlyArray<GenerationState>, { name }: Pick<ReadModel, 'name'>): void => {
  const written = generations.find(({ role, holder }) => role !== 'building' && holder !== undefined);
  if (written?.holder !== undefined)
    throw notAllowed(
      `${written.holder} writes the rows of "${name}", which are not of this log: stop or restart that process`,
    );
};

/** How long a process may take to notice that the rows are of another log, and to give them up, ms; and a few more. */
const NOTICED_MS = EXAMINE_MS + 5_000;
const AGAIN_MS = 500;

/** Waits until nobody writes the rows of another log. Throws as `requireNoWriter` when somebody goes on writing them, and the signal's reason when aborted. */
export const awaitNoWriter = async (
  runtime: Runtime,
  storage: Pick<ReadModelStorage, 'change'>,
  projection: ReadModel,
  signal: AbortSignal,
): Promise<void> => {
  const until = runtime.clock.monotonic() + NOTICED_MS;
  const retry = makeRetry({ runtime, first: AGAIN_MS, longest: AGAIN_MS, until, signal });
  for (;;)
    try {
      await storage.change(projection, (generations) => {
        requireNoWriter(generations, projection);
        return undefined;
      });
      return;
    } catch (error) {
      if (failureIn(error, 'NotAllowed') === undefined || !(await retry.again())) {
        signal.throwIfAborted();
        throw error;
      }
    }
};

export type SwitchedTo = { readonly live: string; readonly previous: string | undefined };

/**
 * Makes the generation the live one in a transaction in which both are at the same position, so that readers never miss
 * an acknowledged write. The generation that was live becomes previous, and its writer gets the lease of the new one.
 * Live rows of another log are dropped with all others: there must be no rollback to them.
 */
export const switchTo = async (rebuilding: Rebuilding): Promise<SwitchedTo> => {
  const { projection, lease } = rebuilding.writer;
  let previous: string | undefined;
  await rebuilding.change((live, generations) => {
    previous = live?.name;
    // the writer of the replaced rows becomes that of the new ones, so that no third process can take the lease in between
    if (live !== undefined) return { makeLive: lease.name, handOver: { lease, to: live.name } };
    requireNoWriter(generations, projection);
    return { makeLive: lease.name, drop: generations.map(({ name }) => name).filter((name) => name !== lease.name) };
  });
  return { live: lease.name, previous };
};
