import { setMaxListeners } from 'node:events';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { ReadModel } from '../../read-model.js';
import { repeat } from '../../../src/event-sourcing/clock.js';
import { makeTaskRunner } from '../run-task.js';
import type { OwnStorage } from '../storage.js';
import { type ProjectionOptions, type RunningProjection, startProjection } from './start-projection.js';

/** Tasks of one read model that listen for the end, about. */
const LISTENERS_EACH = 20;
/** How often the checkpoints are read while someone waits for another process. */
const POLL_MS = 100;
/** How often it is looked at who writes the live rows, whether anybody waits or not. */
const LOOK_MS = 1_000;

type ProjectionsOptions = ProjectionOptions & {
  readonly projections: ReadonlyArray<ReadModel>;
  /** Where the read models are. Closed when all has stopped. */
  readonly storage: OwnStorage;
  /** Called with how far other processes say that the rows are. */
  readonly onReached?: (position: Position) => void;
};

export type Projections = {
  readonly all: ReadonlyArray<RunningProjection>;
  /** Throws for an unknown name. */
  readonly byName: (name: string) => RunningProjection;
  /** Number of parked entities in the live rows, by projection; without those that have none. */
  readonly parked: () => Promise<Readonly<Record<string, number>>>;
  /** Finishes the current batch, releases the leases and closes the storage. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts to keep the read models up to date and to watch how far they are. Returns at once: database and log may be
 * away, at the start and later.
 */
export const startProjections = (options: ProjectionsOptions): Projections => {
  const { runtime, projections, storage, isSoleProcess, onEvent } = options;
  const { clock } = runtime;
  const stopping = new AbortController();
  const { signal } = stopping;
  // otherwise Node takes so many for a leak
  setMaxListeners(LISTENERS_EACH * projections.length, signal);

  const runTask = makeTaskRunner({ projection: 'all', name: 'reading the live checkpoints', onEvent });
  const refresh = singleFlight(() =>
    runTask(async () => {
      const before = new Map(
        all.map(({ name, progress }) => [name, { forgotten: progress.forgotten(), reached: progress.reached() }]),
      );
      for (const { projection, commit, lease } of await storage.liveCheckpoints()) {
        const known = byName.get(projection);
        // what was read is void when the log was put back meanwhile
        const then = before.get(projection);
        if (known !== undefined && then !== undefined && known.progress.forgotten() === then.forgotten) {
          // the rows were put back: a process that does not write them learns of it only here
          if (commit < then.reached && !known.writesLive()) known.progress.fallBack(commit);
          else onCheckpoint(projection, commit);
        }
        known?.onLease(lease);
        before.delete(projection);
      }
      // rows that do not exist yet
      for (const name of before.keys()) byName.get(name)?.onLease('Free');
    }),
  );

  const all = projections.map((projection) => startProjection(options, { storage, signal, refresh }, projection));
  const byName = new Map(all.map((each) => [each.name, each]));

  const onCheckpoint = (name: string, commit: Position): void => {
    const projection = byName.get(name);
    if (projection?.provenance.isSameLog() !== true) return;
    options.onReached?.(commit);
    projection.progress.advance(commit);
  };

  const polling = repeat(clock, POLL_MS, signal, () => {
    if (all.some(({ waitsForOthers }) => waitsForOthers())) refresh();
    return Promise.resolve();
  });
  const looking = repeat(clock, LOOK_MS, signal, () => {
    refresh();
    return Promise.resolve();
  });
  const listening = isSoleProcess
    ? undefined
    : storage.listen(
        onCheckpoint,
        () => {
          // the rows may be put back while nobody is heard of them
          for (const { progress, writesLive } of all) if (!writesLive()) progress.fallBack(-1n);
          refresh();
        },
        signal,
      );

  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([polling, looking, listening, ...all.flatMap(({ stopped }) => stopped)]);
    await storage.close();
  };
  let stopped: Promise<void> | undefined;

  return {
    all,
    byName: (name) => {
      const found = byName.get(name);
      if (found === undefined) throw new Error(`no projection is called ${name}`);
      return found;
    },
    parked: storage.countParked,
    stop: () => (stopped ??= stop()),
  };
};

/** Starts `work` unless it is running. Does not wait, so that a silent database does not block the caller. */
const singleFlight = (work: () => Promise<unknown>): (() => void) => {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    void work().finally(() => (isRunning = false));
  };
};
