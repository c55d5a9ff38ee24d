import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { businesses } from '../../businesses.js';
import { documents } from '../../documents.js';
import type { Projection } from '../../projection.js';
import { feedPrevious } from './feed-previous.js';
import { type Activity, type Follower, followLog } from './follow-log.js';
import { countParked } from '../parked/count-parked.js';
import { listen } from './listen.js';
import { readLiveCheckpoints } from './live-checkpoints.js';
import { monitor } from './monitor.js';
import { watchOrigin } from './watch-origin.js';
import type { ProjectionRefused } from '../instance/projection-refused.js';
import type { OnNotice } from '../notice.js';
import { makePool } from '../pool.js';
import { makeProgress, type Progress } from './progress.js';
import { repeat } from '../repeat.js';

const CONNECTIONS = 6;
const CONNECT_MS = 2_000;
const ANSWER_MS = 15_000;
/** How often the checkpoints are asked for while someone waits for another process. */
const POLL_MS = 100;

type ProjectionsOptions = {
  readonly store: EventStore;
  /** Where the read models are. */
  readonly connectionString: string;
  /** Whether this process may write them; else it only knows how far they are. */
  readonly projector: boolean;
  /** No other process uses this database: a lease that was left behind is taken over at once, nobody is told. */
  readonly isSoleProcess: boolean;
  /** How long rows that were replaced are kept, and kept up to date, ms. */
  readonly rollbackWindowMs: number;
  readonly onNotice: OnNotice;
};

/** One read model, as the service sees it. */
type ProjectedReadModel = {
  readonly progress: Pick<Progress, 'waitFor'>;
  readonly freshness: Pick<Progress, 'isBehind'>;
};

type ReadModelStatus = {
  /** `Elsewhere`: this process does not project. */
  readonly activity: Activity | { readonly _tag: 'Elsewhere' };
  /** Position up to which the live rows are known to be complete; -1 before anything is known. */
  readonly reached: bigint;
  readonly isBehind: boolean;
  /** Whether it has been sought to find out if the live rows are of this log. */
  readonly isExamined: boolean;
  /** Why the rows are not of this log: nobody may be answered from them, and nothing be appended. */
  readonly refused: ProjectionRefused | undefined;
};

type Running = {
  readonly name: Projection<never, never>['name'];
  readonly progress: Progress;
  readonly follower: Follower | undefined;
};

export type Projections = {
  readonly businesses: ProjectedReadModel;
  readonly documents: ProjectedReadModel;
  readonly status: () => { readonly businesses: ReadModelStatus; readonly documents: ReadModelStatus };
  /** Parked entities of the live rows, by projection; absent: none. */
  readonly parked: () => Promise<Readonly<Record<string, number>>>;
  /** Finishes the batch under way, hands the leases back and closes every connection. */
  readonly stop: () => Promise<void>;
};

/**
 * Begins to keep the read models up to date, and to know how far they are. Returns at once; database and log may come
 * later, go, and come again.
 */
export const startProjections = (options: ProjectionsOptions): Projections => {
  const { store, connectionString, projector, isSoleProcess, rollbackWindowMs: windowMs, onNotice } = options;
  const pool = makePool(connectionString, {
    name: 'projections',
    connections: CONNECTIONS,
    connectMs: CONNECT_MS,
    answerMs: ANSWER_MS,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const all = { businesses: makeProgress(), documents: makeProgress() };

  const hear = (name: string, commit: bigint): void => {
    if ((name === 'businesses' || name === 'documents') && origins[name].isOwn()) all[name].advance(commit);
  };
  const examine = (projection: 'businesses' | 'documents') =>
    watchOrigin(
      { database: pool, store, projection },
      (mismatch) => {
        if (mismatch === undefined) all[projection].resume();
        else all[projection].forget();
        onNotice(
          mismatch === undefined ? { _tag: 'Accepted', projection } : { _tag: 'Refused', projection, error: mismatch },
        );
      },
      signal,
    );
  const origins = { businesses: examine('businesses'), documents: examine('documents') };
  const refresh = singleFlight(async () => {
    for (const [name, commit] of await readLiveCheckpoints(pool)) hear(name, commit);
  });

  const run = <State, Event extends DomainEvent>(projection: Projection<State, Event>, progress: Progress) => {
    const deps = { pool, store, projection, progress, notifies: !isSoleProcess, onNotice, isSoleProcess };
    const follower = projector ? followLog(deps, signal) : undefined;
    const { isOwn: isOwnLog } = origins[projection.name];
    const feeding = projector ? feedPrevious({ pool, store, projection, windowMs, isOwnLog }, signal) : undefined;
    const writesLive = (): boolean => {
      const activity = follower?.activity();
      return activity?._tag === 'Projecting' && activity.role === 'live';
    };
    const ask = (): void => {
      if (!writesLive()) refresh();
    };
    const watching = monitor({ store, category: projection.category, progress, refresh: ask, isSoleProcess }, signal);
    const waitsForOthers = (): boolean => progress.isAwaited() && !writesLive();
    return { name: projection.name, progress, follower, feeding, watching, waitsForOthers };
  };
  const running = [run(businesses, all.businesses), run(documents, all.documents)] as const;

  const polling = repeat(POLL_MS, signal, () => {
    if (running.some(({ waitsForOthers }) => waitsForOthers())) refresh();
    return Promise.resolve();
  });
  const listening = isSoleProcess ? undefined : listen(connectionString, hear, signal);

  const statusOf = ({ name, progress, follower }: Running): ReadModelStatus => {
    const activity = follower?.activity() ?? ({ _tag: 'Elsewhere' } as const);
    return {
      activity,
      reached: progress.reached(),
      isBehind: progress.isBehind(),
      isExamined: origins[name].hasLooked(),
      refused: origins[name].mismatch() ?? (activity._tag === 'Refused' ? activity.error : undefined),
    };
  };

  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([
      polling,
      listening,
      ...Object.values(origins).map((origin) => origin.stopped),
      ...running.flatMap(({ follower, feeding, watching }) => [follower?.stopped, feeding, watching]),
    ]);
    await pool.end();
  };
  let stopped: Promise<void> | undefined;

  return {
    businesses: { progress: all.businesses, freshness: all.businesses },
    documents: { progress: all.documents, freshness: all.documents },
    status: () => ({ businesses: statusOf(running[0]), documents: statusOf(running[1]) }),
    parked: () => countParked(pool),
    stop: () => (stopped ??= stop()),
  };
};

/** Asks once at a time and waits for nothing: a silent database must not hold up the one who asks. */
const singleFlight = (ask: () => Promise<void>): (() => void) => {
  let isAsking = false;
  const done = (): void => void (isAsking = false);
  return () => {
    if (isAsking) return;
    isAsking = true;
    // asked again by the next who wants to know
    ask().then(done, done);
  };
};
