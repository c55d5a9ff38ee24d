import type { OnEngineEvent } from '../../projections/engine/engine-event.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import { watchDrift } from '../../projections/engine/verify/watch-drift.js';
import { ledgerOf, projectionsOf, readModelsOf } from '../entities/registry.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { LogMemory } from '../event-sourcing/log-memory.js';
import { logDrift, logDriftGone } from '../infrastructure/logging/log-events.js';
import { makeDriftCounter, watchDriftedRows, watchProjections } from '../infrastructure/metrics/projection-metrics.js';
import type { ServiceStores } from './adapters.js';
import type { HistoryAlarm } from './history-alarm.js';
import type { ServiceContext } from './service-context.js';

/** How long the start waits for the read models, and how often it checks, ms. */
const START_TIMEOUT = 5_000;
const START_POLL = 10;

/** Of each read model: one that its batches are written on, and those for what is done beside that. */
const CONNECTIONS_EACH = 4;

/** Waits for the read models, but no longer than `START_TIMEOUT`: they come later when their database is away. */
const begun = async (clock: Clock, { all }: Projections): Promise<void> => {
  const isStarting = (): boolean =>
    all.some(({ status }) => status().projector._tag === 'Starting' || !status().isExamined);
  for (let waited = 0; isStarting() && waited < START_TIMEOUT; waited += START_POLL) await clock.sleep(START_POLL);
};

/** The stores, and what this process knows of the log. */
type Watched = ServiceStores & { readonly memory: Pick<LogMemory, 'onLost' | 'note'> };

const project = async (
  { config, runtime, started, metrics, registry, decisions }: ServiceContext,
  stores: Watched,
  onEvent: OnEngineEvent,
): Promise<Projections> => {
  const readModels = readModelsOf(registry);
  const projections = startProjections({
    runtime,
    store: stores.store,
    projections: readModels,
    storage: stores.readModels.storage({ name: 'projections', connections: CONNECTIONS_EACH * readModels.length }),
    projector: config.parts.projector,
    isSoleProcess: stores.isSoleProcess,
    ...(config.parts.api ? { decisions } : {}),
    rollbackWindowMs: config.rollbackWindow * 1_000,
    onLost: stores.memory.onLost,
    onReached: stores.memory.note,
    onEvent,
  });
  started.add(projections.stop);
  watchProjections(runtime.clock, metrics, stores.store, projections);
  await begun(runtime.clock, projections);
  return projections;
};

/** By the text of a warning of `/readyz`: whether it is given. */
type Warnings = Readonly<Record<string, () => boolean>>;

/** Compares rows with the log all the time, in a process that projects. Gives the warnings of what it finds. */
const watch = (
  { config, log, runtime, started, metrics, registry }: ServiceContext,
  stores: ServiceStores,
  { byName }: Projections,
  histories: HistoryAlarm,
  onEvent: OnEngineEvent,
): Warnings => {
  if (!config.parts.projector) return {};
  const projections = projectionsOf(registry);
  const names = projections.map(({ name }) => name);
  const count = makeDriftCounter(metrics, names);
  const [logFound, logGone] = [logDrift(log), logDriftGone(log)];
  const { drifted, stop } = watchDrift({
    runtime,
    store: stores.store,
    projections,
    ledger: ledgerOf(registry).name,
    storage: stores.readModels.storage({ name: 'verification', connections: 1 }),
    isProjecting: (name) => byName(name).status().projector._tag === 'Projecting',
    onDrift: (drift) => {
      if (drift.kind === 'ahead') {
        histories.report(drift);
        return;
      }
      count(drift.projection);
      logFound(drift);
    },
    onGone: (drift) => {
      if (drift.kind !== 'ahead') logGone(drift);
    },
    onEvent,
  });
  started.add(stop);
  watchDriftedRows(metrics, names, drifted);
  return Object.fromEntries(
    names.map((name) => [
      `rows differ from their events: ${name}; see ops projections verify --repair`,
      () => drifted(name) > 0,
    ]),
  );
};

type Kept = {
  readonly projections: Projections;
  readonly warnings: Warnings;
};

/** Starts what writes the rows of all read models, waits for them a moment, and has them compared with the log. */
export const keepReadModels = async (
  context: ServiceContext,
  stores: Watched,
  histories: HistoryAlarm,
  onEvent: OnEngineEvent,
): Promise<Kept> => {
  const projections = await project(context, stores, onEvent);
  return { projections, warnings: watch(context, stores, projections, histories, onEvent) };
};
