import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { ByStream } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, Position } from '../../../src/event-sourcing/recorded-event.js';
import type { Generation } from '../generation/generation.js';
import type { Lease } from '../generation/lease.js';
import type { EntityWriter } from '../rows/write-batch.js';
import { type LoadingChunk, loadChunk } from './load-chunk.js';
import { finishPlan, type LoadPlan, type PlannedChunk, readPlan, writePlan } from './load-plan.js';

/** Events of a chunk, about: what each loader loses by a crash, a second's work. */
const EVENTS_EACH = 50_000;

/** Loads a chunk as `loadChunk` does; called for one chunk at a time. */
export type Loader = (chunk: PlannedChunk, upTo: Position, loading: LoadingChunk) => Promise<void>;

/** What another thread needs to write the same generation. */
type LoadJob = { readonly generation: Generation; readonly lease: Lease };

/** Makes loaders that work at the same time, each on a chunk of its own. */
export type MakeLoaders = (job: LoadJob) => {
  readonly loaders: ReadonlyArray<Loader>;
  readonly close: () => Promise<void>;
};

type LoadByStream = {
  readonly makeLoaders: MakeLoaders | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number, share: number) => void;
  readonly onChunksLoaded: (loaded: number, chunks: number) => void;
};

const planOf = async (writer: EntityWriter, order: ByStream, upTo: Position): Promise<LoadPlan> => {
  const found = await readPlan(writer);
  if (found !== undefined) return found;
  const chunks = orThrow(await order.divide(writer.projection.category, EVENTS_EACH));
  await writePlan(writer.pool, writer.generation, chunks, upTo);
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
  { signal, onProgress }: Omit<LoadByStream, 'makeLoaders'>,
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

/**
 * Loads a generation that has no checkpoint yet from a log that can be read by key ranges. Every chunk is a transaction
 * of its own, so loaded chunks survive a crash. When all are loaded, the checkpoint moves to `upTo`. Throws the
 * signal's reason when aborted, `RowsRejected`, `LeaseLost`, and whatever log and database throw.
 */
export const loadByKey = async (
  writer: EntityWriter,
  order: ByStream,
  upTo: Position,
  { makeLoaders, ...loading }: LoadByStream,
): Promise<Checkpoint> => {
  const here: Loader = (chunk, end, options) => loadChunk(writer, order, chunk, end, options);
  // made first, so that threads start while the plan is made
  const { loaders, close } = makeLoaders?.(writer) ?? { loaders: [here], close: () => Promise.resolve() };
  try {
    const plan = await planOf(writer, order, upTo);
    const loaded = plan.chunks - plan.missing.length;
    if (loaded > 0) loading.onChunksLoaded(loaded, plan.chunks);
    await loadAll(loaders, plan, loading);
    return await finishPlan(writer, plan.upTo);
  } finally {
    await close();
  }
};
