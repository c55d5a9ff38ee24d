import { setMaxListeners } from 'node:events';
import type { Decisions } from '../../../src/event-sourcing/decisions.js';
import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { OnLost } from '../../../src/event-sourcing/log-memory.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { Freshness } from '../../../src/read/row-or-fold.js';
import { planByIndex } from '../../../src/postgres/index-plans.js';
import { makePool } from '../../../src/postgres/pool.js';
import { categoriesOf, type ReadModel } from '../../read-model.js';
import type { OnEngineEvent } from '../engine-event.js';
import type { WrongLog } from '../engine-failure.js';
import { countParked } from '../parked/count-parked.js';
import { makeTaskRunner, repeat } from '../run-task.js';
import { makeNoteAcknowledged } from './acknowledged.js';
import { makeComparison } from './comparison.js';
import { monitorLag } from './lag-monitor.js';
import { type LiveCheckpoint, listenToLiveCheckpoints, readLiveCheckpoints } from './live-checkpoints.js';
import { HOLD_MS, makeProgress, type Progress } from './progress.js';
import { type ProjectorStatus, startProjector } from './projector.js';
import { monitorProvenance } from './provenance-monitor.js';
import { updatePrevious } from './update-previous.js';
import { watchWriter } from './writer-watch.js';

/** Of each projection: one that its batches are written on, and those for what is done beside that. */
const CONNECTIONS_EACH = 4;
const CONNECT_MS = 2_000;
const QUERY_MS = 15_000;
/** Tasks of one read model that listen for the end, about. */
const LISTENERS_EACH = 20;
/** How often the checkpoints are read while someone waits for another process. */
const POLL_MS = 100;
/** How often it is looked at who writes the live rows, whether anybody waits or not. */
const LOOK_MS = 1_000;

type ProjectionsOptions = {
  readonly store: EventStore;
  readonly projections: ReadonlyArray<ReadModel>;
  /** Of the database of the read models. */
  readonly connectionString: string;
  /** Whether this process may write the rows; otherwise it only watches how far they are. */
  readonly projector: boolean;
  /** No other process uses this database: it takes over old leases at once and notifies nobody. */
  readonly isSoleProcess: boolean;
  /** What the commands of this process decide; without it, they run elsewhere. */
  readonly decisions?: Decisions;
  /** How long previous rows are kept up to date before they are dropped, ms. */
  readonly rollbackWindowMs: number;
  /** Tells when the log has lost events. Default: it never does. */
  readonly onLost?: OnLost;
  /** Called with how far other processes say that the rows are. */
  readonly onReached?: (position: Position) => void;
  readonly onEvent: OnEngineEvent;
};

type ReadModelStatus = {
  /** `Elsewhere`: this process does not project. */
  readonly projector: ProjectorStatus | { readonly _tag: 'Elsewhere' };
  /** Position up to which the live rows are complete; -1 before it is known. */
  readonly reached: Position;
  readonly isBehind: boolean;
  /** Whether no process has written the live rows for ten seconds. */
  readonly isUnwritten: boolean;
  /** Whether it was checked at least once that the live rows are of this log. */
  readonly isExamined: boolean;
};

/** One read model, as the service sees it. */
export type RunningProjection = {
  readonly name: string;
  /** Of the streams that its rows are made from. */
  readonly categories: ReadonlyArray<string>;
  readonly progress: Pick<Progress, 'waitFor' | 'heldMs' | 'reached' | 'untilMoved'>;
  /** Whether its rows may be shown, at this very moment. */
  readonly freshness: Freshness;
  readonly status: () => ReadModelStatus;
  /** Why the rows are not of this log: then they must not be served, and nothing may be appended. */
  readonly wrongLog: () => WrongLog | undefined;
};

export type Projections = {
  readonly all: ReadonlyArray<RunningProjection>;
  /** Throws for an unknown name. */
  readonly byName: (name: string) => RunningProjection;
  /** Number of parked entities in the live rows, by projection; without those that have none. */
  readonly parked: () => Promise<Readonly<Record<string, number>>>;
  /** Finishes the current batch, releases the leases and closes every connection. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts to keep the read models up to date and to watch how far they are. Returns at once: database and log may be
 * away, at the start and later.
 */
export const startProjections = (options: ProjectionsOptions): Projections => {
  const { store, projections, connectionString, projector: isProjector, isSoleProcess, decisions, onEvent } = options;
  const pool = makePool({
    connectionString,
    name: 'projections',
    connections: CONNECTIONS_EACH * projections.length,
    connectMs: CONNECT_MS,
    queryMs: QUERY_MS,
    prepare: planByIndex,
  });
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
      for (const { projection, commit, lease } of await readLiveCheckpoints(pool)) {
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
      // rows that have never been written, or that do not exist yet
      for (const name of before.keys()) byName.get(name)?.onLease('Free');
    }),
  );

  const start = (projection: ReadModel) => {
    const { name } = projection;
    const categories = categoriesOf(projection);
    const progress = makeProgress(SILENCE_MS, {
      // who is alone knows what it has answered itself
      heldMs: isSoleProcess ? 0 : HOLD_MS,
      ...(projection.rowFor === 'entity' ? { note: makeNoteAcknowledged(pool, name) } : {}),
    });
    const comparison = makeComparison(progress.reached);
    const freshness: Freshness = {
      rows: () => (progress.isBehind() ? 'Behind' : comparison.freshness()),
      shownUntil: comparison.shownUntil,
    };
    const forget = (): void => {
      progress.forget();
      comparison.forget();
    };
    const provenance = monitorProvenance(
      { database: pool, store, projection: name, onEvent },
      (wrongLog) => {
        if (wrongLog === undefined) progress.resume();
        else forget();
        onEvent(
          wrongLog === undefined
            ? { _tag: 'SameLogAgain', projection: name }
            : { _tag: 'WrongLog', projection: name, wrongLog },
        );
      },
      signal,
    );
    options.onLost?.(() => {
      forget();
      provenance.examineAgain();
    });
    const shared = { pool, store, projection, onEvent };
    const { isSameLog, wrongLogOf } = provenance;
    const deps = { ...shared, progress, decisions, wrongLogOf, notifies: !isSoleProcess, isSoleProcess };
    const projector = isProjector ? startProjector(deps, signal) : undefined;
    const previous = { ...shared, windowMs: options.rollbackWindowMs, isSameLog };
    const updating = isProjector ? updatePrevious(previous, signal) : undefined;
    const writer = watchWriter();
    const writesLive = (): boolean => {
      const status = projector?.status();
      return status?._tag === 'Projecting' && status.role === 'live';
    };
    const refreshOthers = (): void => {
      if (!writesLive()) refresh();
    };
    const monitoring = monitorLag({ store, categories, progress, comparison, refresh: refreshOthers }, signal);
    const wrongLog = (): WrongLog | undefined => {
      const found = provenance.wrongLog();
      if (found !== undefined || projector === undefined) return found;
      const status = projector.status();
      return status._tag === 'WrongLog' ? status.wrongLog : undefined;
    };
    return {
      name,
      categories,
      progress,
      freshness,
      provenance,
      wrongLog,
      /** While another process is to write the rows, and none can, no write waits for its row. */
      onLease: (lease: LiveCheckpoint['lease']): void => {
        writer.note(lease === 'Held');
        if (writesLive()) return;
        if (lease === 'Lapsed') progress.suspend();
        else if (lease === 'Held' && provenance.isSameLog()) progress.resume();
      },
      writesLive,
      waitsForOthers: () => progress.isAwaited() && !writesLive(),
      stopped: [provenance.stopped, projector?.stopped, updating, monitoring],
      status: (): ReadModelStatus => {
        const status = projector?.status() ?? ({ _tag: 'Elsewhere' } as const);
        return {
          projector: status,
          reached: progress.reached(),
          isBehind: freshness.rows() === 'Behind',
          isUnwritten: writer.isUnwritten(),
          isExamined: provenance.isExamined(),
        };
      },
    };
  };
  const all = projections.map(start);
  const byName = new Map(all.map((each) => [each.name, each]));

  const onCheckpoint = (name: string, commit: Position): void => {
    const projection = byName.get(name);
    if (projection?.provenance.isSameLog() !== true) return;
    options.onReached?.(commit);
    projection.progress.advance(commit);
  };

  const polling = repeat(POLL_MS, signal, () => {
    if (all.some(({ waitsForOthers }) => waitsForOthers())) refresh();
    return Promise.resolve();
  });
  const looking = repeat(LOOK_MS, signal, () => {
    refresh();
    return Promise.resolve();
  });
  const listening = isSoleProcess
    ? undefined
    : listenToLiveCheckpoints(
        connectionString,
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
    await pool.end();
  };
  let stopped: Promise<void> | undefined;

  return {
    all,
    byName: (name) => {
      const found = byName.get(name);
      if (found === undefined) throw new Error(`no projection is called ${name}`);
      return found;
    },
    parked: () => countParked(pool),
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
