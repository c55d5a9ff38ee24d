import { followSkips } from '../../projections/engine/parked/follow-skips.js';
import type { OnEngineEvent } from '../../projections/engine/engine-event.js';
import type { Projections } from '../../projections/engine/run/start-projections.js';
import type { LogMemory } from '../event-sourcing/log-memory.js';
import type { Links } from '../http/link/links.js';
import type { Route } from '../http/route.js';
import { logFileFault } from '../infrastructure/logging/log-file-fault.js';
import { makeFileFaultCounter } from '../infrastructure/metrics/file-fault-counter.js';
import type { Storage } from '../infrastructure/open-storage.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import type { ServiceStores } from './adapters.js';
import type { HistoryAlarm } from './history-alarm.js';
import { sealingKey } from './sealing-key.js';
import type { OpenLedger } from './serve-audit.js';
import type { ServiceContext } from './service-context.js';
import { compareWhileSameLog, type FindWrongLog, queryWhileSameLog, writeWhileSameLog } from './while-same-log.js';

type ServedFrom = Pick<ServiceStores, 'store'> & {
  readonly storage: Storage;
  readonly memory: Pick<LogMemory, 'onLost'>;
};

/** The rows of the route table for all kinds of entities. */
export const serveEntities = async (
  { config, log, runtime, adapters, metrics, registry, decisions, started }: ServiceContext,
  { store: storeOfLog, storage, memory }: ServedFrom,
  queries: ReadModelQueries,
  { byName }: Projections,
  findWrongLog: FindWrongLog,
  histories: HistoryAlarm,
  { feed }: OpenLedger,
  links: Links | undefined,
  onEvent: OnEngineEvent,
): Promise<ReadonlyArray<Route>> => {
  const store = writeWhileSameLog(storeOfLog, findWrongLog);
  const names = registry.entities.map(({ projection }) => projection.name);
  const skips = await followSkips({
    ...{ clock: runtime.clock, store: storeOfLog, projections: names, onLost: memory.onLost, onEvent },
  });
  started.add(skips.stop);
  const eventKey = await sealingKey(adapters.keys, runtime.random, config, log);
  const [countFileFault, logFault] = [makeFileFaultCounter(metrics), logFileFault(log)];
  const serving = registry.entities.map(({ projection, serve: serveEntity }) => {
    const { progress, freshness } = byName(projection.name);
    return serveEntity({
      ...config,
      store,
      storage,
      onFileFault: (fault) => {
        countFileFault(fault);
        logFault(fault);
      },
      queries: queryWhileSameLog(queries.of(projection), findWrongLog),
      findSkipped: () => skips.of(projection.name),
      findTrustedRow: queries.findTrustedRow(projection),
      rows: compareWhileSameLog(histories.rowsOf(projection.name), findWrongLog),
      decisions,
      onLost: memory.onLost,
      eventKey,
      progress: metrics.timeProjection(projection.name, progress),
      freshness,
      feed,
      links,
      runtime,
    });
  });
  return (await Promise.all(serving)).flat();
};
