import type { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { type Checkpoint, checkpointAt, type From } from '../../../src/event-sourcing/recorded-event.js';
import { isDatabaseError } from '../../../src/postgres/sql-failure.js';
import { categoriesOf, type ReadModel } from '../../read-model.js';
import { attemptInEngine, EngineError, type EngineFailure, failureIn } from '../engine-failure.js';
import { dropOutdated } from '../generation/drop-outdated.js';
import { commitOf, dropGeneration, type Generation, readLive, tableOf } from '../generation/generation.js';
import { releaseLease, whileHeld } from '../generation/lease.js';
import { type OpenedRebuild, openForRebuild } from '../generation/open-generation.js';
import { requireSameLog, wrongLogOf } from '../generation/provenance.js';
import { inSchemaTransaction, migrateReadModels } from '../generation/schema.js';
import { tableStatements } from '../generation/table-statements.js';
import { withSkips } from '../parked/skips.js';
import { compareWithLive, type Compared, type Differences } from './compare-with-live.js';
import { loadByKey, type MakeLoaders } from './load-by-key.js';
import { abandonPlan } from './load-plan.js';
import { Rebuilding } from './rebuilding.js';
import { awaitNoWriter, switchTo } from './switch-to.js';

/** Called as a rebuild proceeds, for showing its progress. */
type RebuildObserver = {
  readonly onOpened: (generation: string, resumedAt: From) => void;
  /** An earlier rebuild had already loaded so many of the chunks. */
  readonly onChunksLoaded: (loaded: number, chunks: number) => void;
  /** `events`: folded so far by this process; `share`: how much of all events is folded, 0 to 1. */
  readonly onProgress: (events: number, share: number) => void;
  readonly onBuilt: () => void;
};

export type RebuildOptions = {
  readonly runtime: Runtime;
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: ReadModel;
  /**
   * Drops an unfinished rebuild instead of continuing it. Also replaces live rows that show events which this log does
   * not hold, without a comparison.
   */
  readonly isFromScratch: boolean;
  /** As `isFromScratch`, and also replaces live rows that were made from a log of another name. */
  readonly isFromOtherLog?: boolean;
  /** Changes nothing: what an earlier rebuild has kept stays, and what is built here is dropped, however it ends. */
  readonly isDryRun?: boolean;
  readonly differences: Differences;
  /**
   * Decides what to do with the rows, once they were compared (undefined: there are no live rows); a dry run drops them.
   * `signal` aborts when the rebuild has ended meanwhile.
   */
  readonly decide: (compared: Compared | undefined, signal: AbortSignal) => Promise<'switch' | 'keep' | 'drop'>;
  readonly observer: RebuildObserver;
  /** Loads the rows of a log that can be read by key ranges. Default: this thread. */
  readonly makeLoaders?: MakeLoaders | undefined;
  readonly signal: AbortSignal;
};

export type Rebuilt = {
  readonly generation: string;
  readonly compared: Compared | undefined;
  readonly outcome: 'Switched' | 'Kept' | 'Dropped';
  /** The generation that a rollback switches back to; undefined when there is none. */
  readonly previous: string | undefined;
};

/** The checkpoint of the live rows or, without live rows, the head of the log; undefined when it is empty. */
const endOfLoad = async (rebuilding: Rebuilding, store: EventStore): Promise<Checkpoint | undefined> => {
  const { pool, projection } = rebuilding.writer;
  const live = await rebuilding.live(pool);
  if (live !== undefined && live.checkpoint !== 'start') return live.checkpoint;
  const head = orThrow(await store.head(categoriesOf(projection)));
  return head === undefined ? undefined : checkpointAt(head);
};

/**
 * Loads by key ranges when the log can be read so and the generation has no checkpoint, else in the order of the log.
 */
const load = async ({ store, observer, makeLoaders }: RebuildOptions, rebuilding: Rebuilding): Promise<void> => {
  const { writer, signal, checkpoint: from } = rebuilding;
  const { onProgress, onChunksLoaded } = observer;
  const upTo = await endOfLoad(rebuilding, store);
  if (upTo === undefined) return;
  const { projection } = writer;
  // the rows of a ledger are numbered in the order of the log
  if (store.byStream === undefined || from !== 'start' || projection.rowFor === 'event') {
    const start = commitOf(from);
    const all = Number(upTo.commit - start);
    return rebuilding.load(upTo, (events, { commit }) => onProgress(events, Number(commit - start) / all));
  }
  try {
    const loading = { makeLoaders, signal, onProgress, onChunksLoaded };
    rebuilding.continueFrom(await loadByKey({ ...writer, projection }, store.byStream, upTo.commit, loading));
  } catch (error) {
    if (failureIn(error, 'RowsRejected') === undefined) throw error;
    // reading in the order of the log finds the rejected row and parks its entity
    await abandonPlan(writer);
    await rebuilding.rereadCheckpoint();
    await rebuilding.approachLive();
  }
};

/** Indexes made at the same time. Fewer than the pool has connections: the lease is renewed meanwhile. */
const INDEXES_AT_ONCE = 4;

/** Creates missing indexes, several at the same time, and analyzes the table for the query planner. */
const finishTable = async (pool: Pool, projection: ReadModel, generation: Generation): Promise<void> => {
  const table = tableOf(generation);
  const missing = [...tableStatements(projection, table, generation.name).indexes];
  const createNext = async (): Promise<void> => {
    for (let next = missing.shift(); next !== undefined; next = missing.shift()) await pool.query(next);
  };
  const made = await Promise.allSettled(Array.from({ length: INDEXES_AT_ONCE }, createNext));
  const failed = made.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  await pool.query(`analyze ${table}`);
};

/** Drops outdated generations. While somebody reads them it fails, and the service drops them later. */
const tidy = async (pool: Pool, projection: ReadModel): Promise<void> => {
  try {
    await dropOutdated(pool, projection, null);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
  }
};

const run = async (
  options: RebuildOptions,
  { generation, lease }: OpenedRebuild,
  isReplacing: boolean,
  signal: AbortSignal,
): Promise<Rebuilt> => {
  const { runtime, pool, store, projection, observer, differences, decide } = options;
  await requireSameLog(store, projection.name, generation);
  const writer = { pool, projection, generation, lease, notifies: false };
  const rebuilding = new Rebuilding({ runtime, writer, store, signal, isReplacing });
  await load(options, rebuilding);
  signal.throwIfAborted();
  await finishTable(pool, projection, generation);
  await rebuilding.approachLive();
  observer.onBuilt();
  const compared = await compareWithLive(rebuilding, differences);
  const decided = await decide(compared, signal);
  const decision = options.isDryRun === true ? 'drop' : decided;
  signal.throwIfAborted();
  const switched = decision === 'switch' ? await switchTo(rebuilding) : undefined;
  if (switched !== undefined) await tidy(pool, projection);
  const outcome = { switch: 'Switched', keep: 'Kept', drop: 'Dropped' } as const;
  return { generation: generation.name, compared, outcome: outcome[decision], previous: switched?.previous };
};

/** Whether the rebuild replaces live rows of another log. Throws `WrongLog` when it was not asked to. */
const isReplacingOthers = async (options: RebuildOptions): Promise<boolean> => {
  const { pool, store, projection, isFromScratch, isFromOtherLog, signal } = options;
  const { name } = projection;
  const live = await readLive(pool, name);
  const wrongLog = live && (await wrongLogOf(store, name, live));
  if (wrongLog === undefined) return false;
  if (isFromOtherLog !== true && !(isFromScratch && wrongLog.difference === 'OtherPast'))
    throw new EngineError(wrongLog);
  await awaitNoWriter(options.runtime, pool, name, signal);
  return true;
};

const openAndRun = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { runtime, pool, store, observer, signal, isDryRun = false } = options;
  const identity = orThrow(await store.identity());
  await migrateReadModels(pool);
  const isReplacing = await isReplacingOthers(options);
  const isFromScratch = isReplacing || options.isFromScratch || options.isFromOtherLog === true;
  const projection = await withSkips(store, options.projection);
  const opening = { runtime, isFromScratch, isDryRun, isReplacing, signal };
  const opened = await openForRebuild(pool, projection, identity, opening);
  let isDropped = isDryRun;
  try {
    return await whileHeld(runtime.clock, pool, opened.lease, signal, async (held) => {
      observer.onOpened(opened.generation.name, opened.generation.checkpoint);
      const rebuilt = await run({ ...options, projection }, opened, isReplacing, held);
      isDropped ||= rebuilt.outcome === 'Dropped';
      return rebuilt;
    });
  } finally {
    if (isDropped) await inSchemaTransaction(pool, (client) => dropGeneration(client, opened.generation));
    await releaseLease(pool, opened.lease);
  }
};

/**
 * Makes the rows of a projection anew from the log, beside the live ones while the service goes on. Compares both at
 * the same position, and switches to the new rows, keeps or drops them as `decide` says. When it is ended at any
 * moment, the live rows are unchanged and the next rebuild continues. Rejects with the signal's reason when aborted,
 * and with what log and database throw.
 */
export const rebuild = (options: RebuildOptions): Promise<E.Either<EngineFailure, Rebuilt>> =>
  attemptInEngine(() => openAndRun(options));
