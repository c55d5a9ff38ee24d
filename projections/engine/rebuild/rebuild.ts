import type { either as E } from 'fp-ts';
import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { type Checkpoint, checkpointAt, type From } from '../../../src/event-sourcing/recorded-event.js';
import { categoriesOf, type ReadModel } from '../../read-model.js';
import { attemptInEngine, EngineError, type EngineFailure, isTransient } from '../engine-failure.js';
import { dropOutdated } from '../generation/drop-outdated.js';
import { commitOf, liveOf } from '../generation/generation.js';
import { whileHeld } from '../generation/while-held.js';
import { type OpenedRebuild, openForRebuild } from '../generation/open-generation.js';
import { requireSameLog, wrongLogOf } from '../generation/provenance.js';
import { withSkips } from '../parked/skips.js';
import type { MakeLoaders, ReadModelStorage } from '../storage.js';
import { compareWithLive, type Compared } from './compare-with-live.js';
import type { Differences } from './difference.js';
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
  readonly storage: ReadModelStorage;
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
  const { projection } = rebuilding.writer;
  const live = await rebuilding.live();
  if (live !== undefined && live.checkpoint !== 'start') return live.checkpoint;
  const head = orThrow(await store.head(categoriesOf(projection)));
  return head === undefined ? undefined : checkpointAt(head);
};

/**
 * Loads by key ranges when log and storage can do that and the generation has no checkpoint, else in the order of the log.
 */
const load = async (
  { storage, store, observer, makeLoaders }: RebuildOptions,
  rebuilding: Rebuilding,
): Promise<void> => {
  const { writer, signal, checkpoint: from } = rebuilding;
  const { onProgress, onChunksLoaded } = observer;
  const upTo = await endOfLoad(rebuilding, store);
  if (upTo === undefined) return;
  const { projection } = writer;
  const start = commitOf(from);
  const loadInOrder = (): Promise<void> =>
    rebuilding.load(upTo, (events, { commit }) =>
      onProgress(events, Number(commit - start) / Number(upTo.commit - start)),
    );
  // the rows of a ledger are numbered in the order of the log
  if (store.byStream === undefined || from !== 'start' || projection.rowFor === 'event') return loadInOrder();
  const loading = { makeLoaders, signal, onProgress, onChunksLoaded };
  const loaded = await storage.loadByKey?.({ ...writer, projection }, store.byStream, upTo.commit, loading);
  // reading in the order of the log finds a rejected row and parks its entity
  if (loaded === undefined) return loadInOrder();
  rebuilding.continueFrom(loaded);
};

/** Drops outdated generations. What somebody reads, or what fails, the service drops later. */
const tidy = async (storage: ReadModelStorage, projection: ReadModel): Promise<void> => {
  try {
    await dropOutdated(storage, projection, null);
  } catch (error) {
    if (!isTransient(error)) throw error;
  }
};

const run = async (
  options: RebuildOptions,
  { generation, lease }: OpenedRebuild,
  isReplacing: boolean,
  signal: AbortSignal,
): Promise<Rebuilt> => {
  const { runtime, storage, store, projection, observer, differences, decide } = options;
  await requireSameLog(store, projection.name, generation);
  const writer = { projection, generation, lease, notifies: false };
  const rebuilding = new Rebuilding({ runtime, storage, writer, store, signal, isReplacing });
  await load(options, rebuilding);
  signal.throwIfAborted();
  await storage.complete(projection, generation);
  await rebuilding.approachLive();
  observer.onBuilt();
  const compared = await compareWithLive(rebuilding, differences);
  const decided = await decide(compared, signal);
  const decision = options.isDryRun === true ? 'drop' : decided;
  signal.throwIfAborted();
  const switched = decision === 'switch' ? await switchTo(rebuilding) : undefined;
  if (switched !== undefined) await tidy(storage, projection);
  const outcome = { switch: 'Switched', keep: 'Kept', drop: 'Dropped' } as const;
  return { generation: generation.name, compared, outcome: outcome[decision], previous: switched?.previous };
};

/** Whether the rebuild replaces live rows of another log. Throws `WrongLog` when it was not asked to. */
const isReplacingOthers = async (options: RebuildOptions): Promise<boolean> => {
  const { storage, store, projection, isFromScratch, isFromOtherLog, signal } = options;
  const { name } = projection;
  const live = liveOf(await storage.generations(name));
  const wrongLog = live && (await wrongLogOf(store, name, live));
  if (wrongLog === undefined) return false;
  if (isFromOtherLog !== true && !(isFromScratch && wrongLog.difference === 'OtherPast'))
    throw new EngineError(wrongLog);
  await awaitNoWriter(options.runtime, storage, projection, signal);
  return true;
};

const openAndRun = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { runtime, storage, store, observer, signal, isDryRun = false } = options;
  const identity = orThrow(await store.identity());
  await storage.migrate();
  const isReplacing = await isReplacingOthers(options);
  const isFromScratch = isReplacing || options.isFromScratch || options.isFromOtherLog === true;
  const projection = await withSkips(store, options.projection);
  const opening = { runtime, isFromScratch, isDryRun, isReplacing, signal };
  const opened = await openForRebuild(storage, projection, identity, opening);
  let isDropped = isDryRun;
  try {
    return await whileHeld(runtime.clock, storage, opened.lease, signal, async (held) => {
      observer.onOpened(opened.generation.name, opened.generation.checkpoint);
      const rebuilt = await run({ ...options, projection }, opened, isReplacing, held);
      isDropped ||= rebuilt.outcome === 'Dropped';
      return rebuilt;
    });
  } finally {
    if (isDropped) await storage.change(projection, () => ({ drop: [opened.generation.name] }));
    await storage.release(opened.lease);
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
