import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import type { OnEngineEvent } from '../../projections/engine/engine-event.js';
import { watchDrift } from '../../projections/engine/verify/watch-drift.js';
import { categoriesOf, projectionsOf, readModelsOf, type Registry, signingRows } from '../entities/registry.js';
import { type Decisions, makeDecisions } from '../event-sourcing/decisions.js';
import { startSweeping } from '../application/document/start-sweeping.js';
import type { Config } from '../config.js';
import { makeApp } from '../http/app.js';
import { makeAuthenticate } from '../http/authentication/authenticate.js';
import { makeFeedLimit } from '../http/budget/process-budget.js';
import type { Route } from '../http/route.js';
import { serve } from '../http/serve.js';
import type { Logger } from '../infrastructure/logging/logger.js';
import { reasonOf } from '../infrastructure/logging/reason-of.js';
import { errorFields } from '../http/problem/log-fields.js';
import { logFileFault } from '../infrastructure/logging/log-file-fault.js';
import { logSweepFault, logSwept } from '../infrastructure/logging/log-sweep.js';
import { logConnectionEvent, logDrift, logEngineEvent, logReadiness } from '../infrastructure/logging/log-events.js';
import { makeFileFaultCounter } from '../infrastructure/metrics/file-fault-counter.js';
import { watchWarnings } from '../infrastructure/metrics/disk-gauges.js';
import { makeMetrics, type Metrics } from '../infrastructure/metrics/metrics.js';
import { makeDriftCounter, makeFaultCounter, watchProjections } from '../infrastructure/metrics/projection-metrics.js';
import { openStorage, type Storage } from '../infrastructure/open-storage.js';
import { openStores, type Stores } from '../infrastructure/open-stores.js';
import {
  makeReadModelQueries,
  type ReadModelQueries,
} from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeReadiness } from '../infrastructure/readiness.js';
import { sharedSnapshotKey } from '../infrastructure/snapshot-key.js';
import { traceRequests, traceStore } from '../infrastructure/tracing/tracing.js';
import { openFilesLimit } from '../infrastructure/open-files-limit.js';
import { connectionLimitsOf, feedLimitOf } from './connection-limits.js';
import { watchFullDisks } from './disk-warnings.js';
import { sealLog } from './seal-log.js';
import { openLedger, type OpenLedger, serveAudit, serveTlog } from './serve-audit.js';
import { sealingKey } from './sealing-key.js';
import { type HistoryAlarm, watchHistories } from './history-alarm.js';
import type { Started } from './started.js';
import { requireUsableKey, verificationKey } from './verification-key.js';
import {
  compareWhileSameLog,
  type FindWrongLog,
  queryWhileSameLog,
  readWhileSameLog,
  writeWhileSameLog,
  wrongLogOf,
} from './while-same-log.js';

/** How long running requests may take to finish when the service stops, ms. */
const STOP_DEADLINE = 10_000;

/** How long the start waits for the read models, and how often it checks, ms. */
const START_TIMEOUT = 5_000;
const START_POLL = 10;

const required = async <A>(opening: Promise<E.Either<{ readonly message: string }, A>>): Promise<A> => {
  const opened = await opening;
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  return opened.right;
};

const now = (): Date => new Date();

type Context = {
  readonly config: Config;
  readonly log: Logger;
  readonly started: Started;
  readonly metrics: Metrics;
  /** Its projections sign their rows. */
  readonly registry: Registry;
  /** What commands leave for the projector. */
  readonly decisions: Decisions;
};

/** The tracing packages are optional, so they are loaded only when spans are exported. */
const startTracing = async ({ config, started }: Context): Promise<void> => {
  if (!config.isTraced) return;
  const begin = await import('../infrastructure/tracing/start-tracing.js').then(({ startTracing: start }) => start);
  started.add(begin());
};

type Opened = Stores & { readonly storage: Storage };

const openAll = async ({ config, log, started, metrics, registry }: Context): Promise<Opened> => {
  const logEvent = logConnectionEvent(log);
  const stores = await required(
    openStores(config, {
      processKind: 'service',
      categories: categoriesOf(registry),
      onPostgresLog: (line) => log.info({ postgres: line }, 'embedded Postgres'),
      onConnectionEvent: (event) => {
        metrics.countConnectionEvent(event);
        logEvent(event);
      },
    }),
  );
  started.add(stores.close);
  const timed = metrics.timeAppends(stores.store);
  const store = config.isTraced ? traceStore(timed) : timed;
  const storage = await required(openStorage(config));
  if (storage.space !== undefined) started.add(storage.space.stop);
  return { ...stores, store, storage };
};

/** Waits for the read models, but no longer than `START_TIMEOUT`: they come later when their database is away. */
const begun = async ({ all }: Projections): Promise<void> => {
  const isStarting = (): boolean =>
    all.some(({ status }) => status().projector._tag === 'Starting' || !status().isExamined);
  for (let waited = 0; isStarting() && waited < START_TIMEOUT; waited += START_POLL) await delay(START_POLL);
};

const project = async (
  { config, started, metrics, registry, decisions }: Context,
  stores: Stores,
  onEvent: OnEngineEvent,
): Promise<Projections> => {
  const projections = startProjections({
    store: stores.store,
    projections: readModelsOf(registry),
    connectionString: stores.readModelsUrl,
    projector: config.parts.projector,
    isSoleProcess: stores.isSoleProcess,
    ...(config.parts.api ? { decisions } : {}),
    rollbackWindowMs: config.rollbackWindow * 1_000,
    onEvent,
  });
  started.add(projections.stop);
  watchProjections(metrics, stores.store, projections);
  await begun(projections);
  return projections;
};

const verify = (
  { config, log, started, metrics, registry }: Context,
  stores: Stores,
  { byName }: Projections,
  histories: HistoryAlarm,
  onEvent: OnEngineEvent,
): void => {
  if (!config.parts.projector) return;
  const projections = projectionsOf(registry);
  const names = projections.map(({ name }) => name);
  const count = makeDriftCounter(metrics, names);
  const logFound = logDrift(log);
  const watching = watchDrift({
    store: stores.store,
    projections,
    connectionString: stores.readModelsUrl,
    isProjecting: (name) => byName(name).status().projector._tag === 'Projecting',
    onDrift: (drift) => {
      if (drift.kind === 'ahead') {
        histories.report(drift);
        return;
      }
      count(drift.projection);
      logFound(drift);
    },
    onEvent,
  });
  started.add(watching.stop);
};

const sweep = ({ config, log, started }: Context, store: Stores['store'], storage: Storage): void => {
  if (!config.parts.projector) return;
  const sweeping = startSweeping({ store, storage, now, onFault: logSweepFault(log), onSwept: logSwept(log) });
  started.add(sweeping.stop);
};

const serveEntities = async (
  { config, log, metrics, registry, decisions }: Context,
  stores: Opened,
  queries: ReadModelQueries,
  { byName }: Projections,
  findWrongLog: FindWrongLog,
  histories: HistoryAlarm,
  { feed }: OpenLedger,
): Promise<ReadonlyArray<Route>> => {
  const store = writeWhileSameLog(stores.store, findWrongLog);
  const eventKey = await sealingKey(config, log);
  const [countFileFault, logFault] = [makeFileFaultCounter(metrics), logFileFault(log)];
  const serving = registry.entities.map(({ projection, serve: serveEntity }) => {
    const { progress } = byName(projection.name);
    return serveEntity({
      ...config,
      store,
      storage: stores.storage,
      onFileFault: (fault) => {
        countFileFault(fault);
        logFault(fault);
      },
      queries: queryWhileSameLog(queries.of(projection), findWrongLog),
      findTrustedRow: queries.findTrustedRow(projection),
      rows: compareWhileSameLog(histories.rowsOf(projection.name), findWrongLog),
      decisions,
      eventKey,
      progress: metrics.timeProjection(projection.name, progress),
      freshness: progress,
      feed,
      now,
    });
  });
  return (await Promise.all(serving)).flat();
};

/**
 * Starts everything that the configuration asks for and resolves with the address of the service. Each part is added to
 * `started` as soon as it runs, so that a failed start can be undone. Rejects with a message that a person can act on.
 */
export const startService = async (
  config: Config,
  log: Logger,
  started: Started,
  registry: Registry,
): Promise<string> => {
  requireUsableKey(config);
  const metrics = makeMetrics();
  const unsigned = { config, log, started, metrics, registry, decisions: makeDecisions() };
  await startTracing(unsigned);
  const stores = await openAll(unsigned);
  // a key that no other process knows is better than none: this one can trust the rows that it has written itself
  const snapshotKey = (await sharedSnapshotKey(config)) ?? randomBytes(32).toString('base64url');
  const context: Context = { ...unsigned, registry: signingRows(registry, snapshotKey) };
  const queries = makeReadModelQueries({ connectionString: stores.readModelsUrl });
  started.add(queries.close);
  const disks = watchFullDisks(metrics, stores);
  const histories = watchHistories(context, stores.store, queries);
  started.add(histories.stop);
  const [countFault, logEvent] = [makeFaultCounter(metrics), logEngineEvent(log)];
  const onEvent: OnEngineEvent = (event) => {
    disks.onEngineEvent(event);
    countFault(event);
    if (event._tag === 'Ahead') histories.report(event);
    else logEvent(event);
  };
  const projections = await project(context, stores, onEvent);
  const findWrongLog = wrongLogOf(projections);
  verify(context, stores, projections, histories, onEvent);
  sweep(context, readWhileSameLog(stores.store, findWrongLog), stores.storage);

  const seal = await sealLog(context, stores, projections);

  const warnings = { ...disks.warnings, ...histories.warnings, ...seal };
  watchWarnings(metrics, warnings);
  let isStopping = false;
  const limits = connectionLimitsOf(config, openFilesLimit());
  const ledger = openLedger({ config, registry, store: stores.store, queries, projections });
  const listener = makeApp({
    entityRoutes: config.parts.api
      ? await serveEntities(context, stores, queries, projections, findWrongLog, histories, ledger)
      : undefined,
    auditRoutes: config.parts.api && config.auditApi ? await serveAudit(ledger) : undefined,
    tlogRoutes: config.parts.api ? await serveTlog(ledger) : undefined,
    authenticate: makeAuthenticate({ ...config.jwt, key: await verificationKey(config) }),
    readiness: makeReadiness(
      {
        'shutting down': () => Promise.resolve(!isStopping),
        'event log': async () => E.isRight(await stores.store.head()),
        'read models': async () => E.isRight(await queries.ping()),
        'read models of this log': () => Promise.resolve(findWrongLog() === undefined),
        'file storage': stores.storage.isThere,
      },
      { warnings, onChange: logReadiness(log) },
    ),
    metrics: metrics.read,
    observe: metrics.observeRequest,
    corsOrigins: config.corsOrigins,
    rateLimit: config.rateLimit,
    budget: { feeds: makeFeedLimit(feedLimitOf(limits.connections)) },
    log,
  });
  if (limits.connections < config.maxConnections)
    log.warn({ connections: limits.connections }, 'the limit of open files (ulimit -n) allows no more connections');
  const served = await serve(config.isTraced ? traceRequests(listener) : listener, {
    ...config,
    limits,
    onCut: metrics.countCut,
    onLost: (error) => log.info({ error: errorFields(error) }, 'connection lost'),
  }).catch((cause: unknown) => {
    throw new Error(`${reasonOf(cause)}. Set PORT and HOST to an address that can be taken.`, { cause });
  });
  started.add(() => {
    isStopping = true;
    ledger.feed.stop();
    return served.stop(STOP_DEADLINE);
  });
  return served.address;
};
