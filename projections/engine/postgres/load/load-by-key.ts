import type { Pool } from 'pg';
import { orThrow } from '../../../../src/event-sourcing/attempt.js';
import type { ByStream } from '../../../../src/event-sourcing/event-store.js';
import type { Checkpoint, Position } from '../../../../src/event-sourcing/recorded-event.js';
import { failureIn } from '../../engine-failure.js';
import type { EntityWriter, Loader, LoadingByKey } from '../../storage.js';
import { loadChunk } from './load-chunk.js';
import { abandonPlan, finishPlan, type LoadPlan, readPlan, writePlan } from './load-plan.js';

/** Events of a chunk, about: what each loader loses by a crash, a second's work. */
const EVENTS_EACH = 50_000;

const planOf = async (pool: Pool, writer: EntityWriter, order: ByStream, upTo: Position): Promise<LoadPlan> => {
  const found = await readPlan(pool, writer);
  if (found !== undefined) return found;
  const chunks = orThrow(await order.divide(writer.projection.category, EVENTS_EACH));
  await writePlan(pool, writer.generation, chunks, upTo);
  return {
    upTo,
    chunks: chunks.length,
    missing: chunks.map((chunk, number) => ({ ...chunk, number: number + 1 })),
  };
};

/** Runs all loaders until every chunk is loaded; the first failure ends them all. */
const loadAll = async (
  loaders: ReadonlyArray<Loader>,
  { missing, chunks, upTo }: LoadPlan,
  { signal, onProgress }: Omit<LoadingByKey, 'makeLoaders'>,
): Promise<void> => {
  const queue = [...missing];
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  let events = 0;
  let loaded = chunks - missing.length;
  const onEvents = (count: number): void => {
    events += count;
    onProgress(events, loaded / chunks);
  };
  const work = async (load: Loader): Promise<void> => {
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        ends.throwIfAborted();
        await load(next, upTo, { onEvents, signal: ends });
        loaded += 1;
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(loaders.map(work));
  // throws the first failure: the others only say that they were aborted
  ends.throwIfAborted();
};

const loadPlanned = async (
  pool: Pool,
  writer: EntityWriter,
  order: ByStream,
  upTo: Position,
  { makeLoaders, ...loading }: LoadingByKey,
): Promise<Checkpoint> => {
  const here: Loader = (chunk, end, options) => loadChunk(pool, writer, order, chunk, end, options);
  // made first, so that threads start while the plan is made
  const { loaders, close } = makeLoaders?.(writer) ?? { loaders: [here], close: () => Promise.resolve() };
  try {
    const plan = await planOf(pool, writer, order, upTo);
    const loaded = plan.chunks - plan.missing.length;
    if (loaded > 0) loading.onChunksLoaded(loaded, plan.chunks);
    await loadAll(loaders, plan, loading);
    return await finishPlan(pool, writer, plan.upTo);
  } finally {
    await close();
  }
};

/**
 * Loads a generation that has no checkpoint yet from a log that can be read by key ranges. Every chunk is a transaction
 * of its own, so loaded chunks survive a crash. When all are loaded, the checkpoint moves to `upTo`. Undefined when the
 * database rejected a row: then everything that was loaded is deleted. Throws the signal's reason when aborted,
 * `LeaseLost`, and whatever log and database throw.
 */
export const loadByKey = async (
  pool: Pool,
  writer: EntityWriter,
  order: ByStream,
  upTo: Position,
  loading: LoadingByKey,
): Promise<Checkpoint | undefined> => {
  try {
    return await loadPlanned(pool, writer, order, upTo, loading);
  } catch (error) {
    if (failureIn(error, 'RowsRejected') === undefined) throw error;
    await abandonPlan(pool, writer);
    return undefined;
  }
};
