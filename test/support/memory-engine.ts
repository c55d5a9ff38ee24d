import type { ProjectionOptions } from '../../projections/engine/run/start-projection.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import { readModelsOf, type Registry, registry as theRegistry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import type { ReadModelQueries } from '../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { makeMemoryReadModels } from './memory-read-models.js';
import { makeMemorySeal, type MemorySeal } from './memory-seal.js';
import { makeMemoryStorage, type MemoryStorage } from './memory-storage/memory-storage.js';

type MemoryEngine = {
  readonly store: EventStore;
  readonly storage: MemoryStorage;
  readonly seal: MemorySeal;
  readonly queries: ReadModelQueries;
  readonly projections: Projections;
  readonly stop: () => Promise<void>;
};

type MemoryEngineOptions = Partial<Pick<ProjectionOptions, 'projector' | 'isSoleProcess' | 'onLost' | 'onEvent'>> & {
  readonly registry?: Registry;
  readonly store?: EventStore;
  readonly storage?: MemoryStorage;
};

/** The engine on rows in memory, which it writes from a log, and the queries over them. Several may share both. */
export const startMemoryEngine = (
  runtime: Runtime,
  {
    registry = theRegistry,
    store = makeInMemoryEventStore(),
    storage = makeMemoryStorage(runtime),
    ...over
  }: MemoryEngineOptions = {},
): MemoryEngine => {
  const seal = makeMemorySeal(runtime.clock, storage);
  const projections = startProjections({
    runtime,
    store,
    projections: readModelsOf(registry),
    storage: { ...storage, close: () => Promise.resolve() },
    projector: true,
    isSoleProcess: true,
    rollbackWindowMs: 60_000,
    onEvent: () => undefined,
    ...over,
  });
  const queries = makeMemoryReadModels({ storage, seal });
  return { store, storage, seal, queries, projections, stop: projections.stop };
};
