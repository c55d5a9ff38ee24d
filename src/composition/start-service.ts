import { either as E } from 'fp-ts';
import type { OnEngineEvent } from '../../projections/engine/engine-event.js';
import { categoriesOf, encryptionRulesOf, type Registry, signingRows } from '../entities/registry.js';
import type { OnConnectionEvent } from '../event-sourcing/connection-event.js';
import { makeDecisions } from '../event-sourcing/decisions.js';
import { type LogMemory, makeLogMemory } from '../event-sourcing/log-memory.js';
import { startSweeping } from '../application/document/start-sweeping.js';
import type { Config } from '../config.js';
import { orThrow } from '../event-sourcing/attempt.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import { makeApp, makeStartingApp } from '../http/app.js';
import { makeAuthenticate } from '../http/authentication/authenticate.js';
import { makeFeedLimit } from '../http/budget/process-budget.js';
import { callerRoutes } from '../http/caller/routes.js';
import { logNarrowed } from '../infrastructure/logging/log-narrowed.js';
import { loadDocsPage } from '../http/openapi/docs-page.js';
import { routeOf } from '../http/routing/route-of-request.js';
import type { Listener } from '../http/serve.js';
import type { ProcessLog } from '../infrastructure/logging/logger.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import { errorFields } from '../http/problem/log-fields.js';
import { logSweepFault, logSwept } from '../infrastructure/logging/log-sweep.js';
import { logConnectionEvent, logEngineEvent, logReadiness } from '../infrastructure/logging/log-events.js';
import { watchBackups } from '../infrastructure/metrics/backup-gauge.js';
import { watchFeeds } from '../infrastructure/metrics/feed-gauge.js';
import { countLostLines } from '../infrastructure/metrics/lost-lines-counter.js';
import { makeMetrics } from '../infrastructure/metrics/metrics.js';
import { programVersion } from '../infrastructure/program-version.js';
import { makeFaultCounter } from '../infrastructure/metrics/projection-metrics.js';
import { watchChecks, watchWarnings } from '../infrastructure/metrics/readiness-gauges.js';
import type { Storage } from '../infrastructure/open-storage.js';
import { traceRequests, traceStore } from '../infrastructure/tracing/tracing.js';
import type { Adapters, ServiceStores } from './adapters.js';
import { connectionLimitsOf, feedLimitOf } from './connection-limits.js';
import { watchFullDisks } from './disk-warnings.js';
import { type Front, makeFront } from './front.js';
import { makeServiceLinks } from './make-service-links.js';
import { recordReads } from './record-reads.js';
import { sealLog } from './seal-log.js';
import { openLedger, serveAudit, serveTlog } from './serve-audit.js';
import { serveEntities } from './serve-entities.js';
import type { ServiceContext } from './service-context.js';
import { makeServiceReadiness } from './service-readiness.js';
import { watchHistories } from './history-alarm.js';
import { keepReadModels } from './keep-read-models.js';
import type { Started } from './started.js';
import { watchGuards } from './watch-guards.js';
import { watchSeal } from './watch-seal.js';
import { watchUnwrittenRows } from './unwritten-rows.js';
import { requireUsableKey, verificationKey } from './verification-key.js';
import { verifyContinuously } from './verify-continuously.js';
import { readWhileSameLog, wrongLogOf } from './while-same-log.js';

/** How long running requests may take to finish when the service stops, ms. */
const STOP_DEADLINE = 10_000;

const required = async <A>(opening: Promise<E.Either<{ readonly message: string }, A>>): Promise<A> => {
  const opened = await opening;
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  return opened.right;
};

/** The tracing packages are optional, so they are loaded only when spans are exported. */
const startTracing = async ({ config, started }: ServiceContext): Promise<void> => {
  if (!config.isTraced) return;
  const begin = await import('../infrastructure/tracing/start-tracing.js').then(({ startTracing: start }) => start);
  started.add(begin());
};

type Opened = ServiceStores & { readonly storage: Storage; readonly memory: Pick<LogMemory, 'onLost' | 'note'> };

/** Answers while a database that is away at the start is waited for, and says so once for each reason. */
const answerMeanwhile = ({ log, runtime, metrics, started }: ServiceContext, front: Front) => {
  const leaving = new AbortController();
  started.add(async () => {
    leaving.abort();
    await Promise.resolve();
  });
  const readiness = () => Promise.resolve({ checks: { log: 'failed' as const }, missing: ['event log'] });
  let said: string | undefined;
  const onAway = async (cause: unknown): Promise<void> => {
    const reason = reasonOf(cause);
    if (said === undefined)
      await front.show(makeStartingApp({ runtime, readiness, log, observe: metrics.observeRequest }));
    if (said !== reason) log.warn({ reason }, 'waiting for the database: it cannot be used yet');
    said = reason;
  };
  return { onAway, signal: leaving.signal };
};

const openAll = async (context: ServiceContext, front: Front): Promise<Opened> => {
  const { config, log, runtime, adapters, started, metrics, registry } = context;
  const logEvent = logConnectionEvent(log);
  let compareAfter: OnConnectionEvent = () => undefined;
  const onConnectionEvent: OnConnectionEvent = (event) => {
    metrics.countConnectionEvent(event);
    logEvent(event);
    compareAfter(event);
  };
  const stores = await required(
    adapters.openStores(config, {
      runtime,
      processKind: 'service',
      waiting: answerMeanwhile(context, front),
      categories: categoriesOf(registry),
      rules: encryptionRulesOf(registry),
      onPostgresLog: (line) => log.info({ postgres: line }, 'embedded Postgres'),
      onConnectionEvent,
    }),
  );
  started.add(stores.close);
  const memory = makeLogMemory({
    clock: runtime.clock,
    store: stores.store,
    onEventsLost: () => onConnectionEvent({ kind: 'events-lost' }),
  });
  compareAfter = memory.onConnectionEvent;
  started.add(memory.stop);
  const timed = metrics.timeAppends(memory.store);
  const store = config.isTraced ? traceStore(timed) : timed;
  const storage = await required(adapters.openStorage(config, { runtime }));
  if (storage.space !== undefined) started.add(storage.space.stop);
  for (const warning of storage.warnings ?? []) log.warn(warning);
  return { ...stores, store, storage, memory };
};

const sweep = (
  { config, log, started, runtime }: ServiceContext,
  store: ServiceStores['store'],
  storage: Storage,
): void => {
  if (!config.parts.projector) return;
  const sweeping = startSweeping({
    store,
    storage,
    runtime,
    onFault: logSweepFault(log),
    onSwept: logSwept(log),
  });
  started.add(sweeping.stop);
};

/** Takes the address of the configuration. */
const serveAt =
  ({ config, log, runtime, adapters, metrics }: ServiceContext, limits: ReturnType<typeof connectionLimitsOf>) =>
  async (listener: Listener) => {
    const served = await adapters
      .serve(listener, {
        ...config,
        runtime,
        limits,
        onCut: metrics.countCut,
        onLost: (error) => log.info({ error: errorFields(error) }, 'connection lost'),
        onRefused: (refused) => log.info(refused, 'refused as no valid HTTP'),
      })
      .catch((cause: unknown) => {
        throw new Error(`${reasonOf(cause)}. Set PORT and HOST to an address that can be taken.`, { cause });
      });
    return { address: served.address, stop: () => served.stop(STOP_DEADLINE) };
  };

/**
 * Starts everything that the configuration asks for and resolves with the address of the service. Each part is added to
 * `started` as soon as it runs, so that a failed start can be undone. Rejects with a message that a person can act on.
 */
export const startService = async (
  config: Config,
  log: ProcessLog,
  started: Started,
  registry: Registry,
  runtime: Runtime,
  adapters: Adapters,
): Promise<string> => {
  requireUsableKey(runtime.clock, config);
  logNarrowed(log)(await adapters.narrowDataDirectory(config.dataDir));
  for (const warning of config.warnings) log.warn(warning);
  const metrics = makeMetrics(runtime.clock);
  adapters.watchProcess(metrics);
  countLostLines(metrics, log.linesLost);
  const unsigned = { config, log, adapters, started, runtime, metrics, registry, decisions: makeDecisions() };
  await startTracing(unsigned);
  const limits = connectionLimitsOf(config, adapters.openFilesLimit());
  if (limits.connections < config.maxConnections)
    log.warn({ connections: limits.connections }, 'the limit of open files (ulimit -n) allows no more connections');
  const front = makeFront(serveAt(unsigned, limits), started);
  await front.probe();
  const stores = await openAll(unsigned, front);
  // a key that no other process knows is better than none: this one can trust the rows that it has written itself
  const snapshotKey =
    (await adapters.keys.snapshotKey(runtime.random, config)) ?? runtime.random.bytes(32).toString('base64url');
  const context: ServiceContext = { ...unsigned, registry: signingRows(registry, snapshotKey) };
  const queries = stores.readModels.queries();
  started.add(queries.close);
  watchBackups(metrics, async () => queries.lastBackup(orThrow(await stores.store.identity())));
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
  const { projections, warnings: drifts } = await keepReadModels(context, stores, histories, onEvent);
  const findWrongLog = wrongLogOf(projections);
  sweep(context, readWhileSameLog(stores.store, findWrongLog), stores.storage);

  const seal = await sealLog(context, stores, projections);
  const unsignedEvents = await watchSeal(context, stores.store, queries, projections);
  const verification = await verifyContinuously(context, stores, projections);

  const guards = watchGuards(context, queries);
  const reads = config.parts.api ? recordReads(context, stores) : undefined;

  const said = [...config.warnings, ...(stores.storage.warnings ?? [])];
  const settings = Object.fromEntries(said.map((warning) => [warning, () => true]));
  const unwritten = watchUnwrittenRows(projections);
  const lasting = { ...settings, ...disks.warnings, ...unwritten.warnings, ...histories.warnings, ...drifts };
  const warnings = { ...lasting, ...seal, ...unsignedEvents, ...verification, ...guards, ...reads?.warnings };
  watchWarnings(metrics, warnings);
  const { readiness, stop: stopBeingReady } = makeServiceReadiness(
    runtime.clock,
    { store: stores.store, storage: stores.storage, queries, unwritten, findWrongLog },
    { warnings, onChange: logReadiness(log) },
  );
  watchChecks(metrics, readiness);
  const feeds = makeFeedLimit(runtime.clock, feedLimitOf(limits.connections));
  watchFeeds(metrics, feeds.held);
  const ledger = openLedger({ clock: runtime.clock, config, registry, store: stores.store, queries, projections });
  const links = config.parts.api ? await makeServiceLinks(context) : undefined;
  const listener = makeApp({
    runtime,
    entityRoutes: config.parts.api
      ? await serveEntities(context, stores, queries, projections, findWrongLog, histories, ledger, links, onEvent)
      : undefined,
    callerRoutes: config.parts.api ? callerRoutes(config) : undefined,
    auditRoutes: reads !== undefined && config.auditApi ? serveAudit(ledger, reads.queries, links) : undefined,
    tlogRoutes: config.parts.api ? serveTlog(ledger) : undefined,
    authenticate: makeAuthenticate(runtime.clock, {
      ...config.jwt,
      key: await verificationKey(adapters, runtime.random, config),
    }),
    readiness,
    metrics: metrics.read,
    metricsToken: config.metricsToken,
    docsPage: loadDocsPage(adapters.readFile),
    version: programVersion(),
    observe: metrics.observeRequest,
    recordRead: reads?.recordRead,
    corsOrigins: config.corsOrigins,
    rateLimit: config.rateLimit,
    publicUrl: config.publicUrl,
    budget: { feeds },
    log,
  });
  const address = await front.show(config.isTraced ? traceRequests(listener, routeOf) : listener);
  started.add(() => {
    stopBeingReady();
    ledger.feed.stop();
    return front.stop();
  });
  return address;
};
