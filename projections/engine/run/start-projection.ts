import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import type { Decisions } from '../../../src/event-sourcing/decisions.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { OnLost } from '../../../src/event-sourcing/log-memory.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { Freshness, RowsFreshness } from '../../../src/read/row-or-fold.js';
import { categoriesOf, type ReadModel } from '../../read-model.js';
import type { OnEngineEvent } from '../engine-event.js';
import type { WrongLog } from '../engine-failure.js';
import type { LiveCheckpoint, ReadModelStorage } from '../storage.js';
import { makeNoteAcknowledged } from './acknowledged.js';
import { makeComparison } from './comparison.js';
import { monitorLag } from './lag-monitor.js';
import { HOLD_MS, makeProgress, type Progress } from './progress.js';
import { type ProjectorStatus, startProjector } from './projector.js';
import { monitorProvenance } from './provenance-monitor.js';
import { makeShownRecords } from './shown-records.js';
import { updatePrevious } from './update-previous.js';
import { watchWriter } from './writer-watch.js';

export type ProjectionOptions = {
  readonly runtime: Runtime;
  readonly store: EventStore;
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

type Shared = {
  readonly storage: ReadModelStorage;
  readonly signal: AbortSignal;
  /** Reads the live checkpoints of all read models soon. */
  readonly refresh: () => void;
};

/**
 * Starts to keep one read model up to date, where this process may write its rows, and to watch how far they are, until
 * `signal` aborts; `stopped` resolves when all that was started has ended.
 */
export const startProjection = (
  options: ProjectionOptions,
  { storage, signal, refresh }: Shared,
  projection: ReadModel,
) => {
  const { runtime, store, projector: isProjector, isSoleProcess, decisions, onEvent } = options;
  const { clock } = runtime;
  const { name } = projection;
  const categories = categoriesOf(projection);
  const progress = makeProgress(clock, SILENCE_MS, {
    // who is alone knows what it has answered itself
    heldMs: isSoleProcess ? 0 : HOLD_MS,
    ...(projection.rowFor === 'entity' ? { note: makeNoteAcknowledged(storage, name) } : {}),
  });
  const comparison = makeComparison(clock, progress.reached);
  const shown = makeShownRecords(progress.reached);
  const forget = (): void => {
    progress.forget();
    comparison.forget();
    shown.forget();
  };
  const provenance = monitorProvenance(
    { clock, storage, store, projection: name, onEvent },
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
  const shared = { runtime, storage, store, projection, onEvent };
  const { isSameLog, wrongLogOf } = provenance;
  const deps = { ...shared, progress, decisions, wrongLogOf, notifies: !isSoleProcess, isSoleProcess };
  const projector = isProjector ? startProjector(deps, signal) : undefined;
  const previous = { ...shared, windowMs: options.rollbackWindowMs, isSameLog };
  const updating = isProjector ? updatePrevious(previous, signal) : undefined;
  const writer = watchWriter(clock);
  const writesLive = (): boolean => {
    const status = projector?.status();
    return status?._tag === 'Projecting' && status.role === 'live';
  };
  const refreshOthers = (): void => {
    if (!writesLive()) refresh();
  };
  const lag = monitorLag(
    {
      clock,
      store,
      categories,
      progress,
      isLacking: () => progress.isBehind() || shown.isAnyAhead(),
      comparison,
      refresh: refreshOthers,
    },
    signal,
  );
  const rows = (): RowsFreshness => (progress.isBehind() ? 'Behind' : comparison.freshness());
  const freshness: Freshness = {
    rows,
    asked: async (id) => {
      if (!shown.isAhead(id) && rows() === 'Unsure') await lag.compare();
      return shown.isAhead(id) ? 'Behind' : rows();
    },
    showed: shown.note,
    shownUntil: comparison.shownUntil,
  };
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
    stopped: [provenance.stopped, projector?.stopped, updating, lag.stopped],
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
