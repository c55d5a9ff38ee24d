import { businesses } from '../../../projections/businesses.js';
import { documentQueries, documents } from '../../../projections/documents.js';
import { startProjections } from '../../../projections/engine/run/start-projections.js';
import { projectionsOf, registry } from '../../../src/entities/registry.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { makeReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { queriesContract } from '../../contract/queries.contract.js';
import { freshDatabase } from '../../support/postgres.js';
import { untilShown } from '../../support/until-shown.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { ownStorage } from '../../support/read-model-storage.js';

queriesContract('Postgres', async () => {
  const connectionString = await freshDatabase();
  const store = makeInMemoryEventStore();
  const projections = startProjections({
    runtime: systemRuntime,
    store,
    projections: projectionsOf(registry),
    storage: ownStorage(connectionString),
    projector: true,
    isSoleProcess: true,
    rollbackWindowMs: 60_000,
    onEvent: () => undefined,
  });
  const queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
  return {
    store,
    businesses: queries.of(businesses),
    documents: documentQueries(queries.of(documents)),
    shown: (position) => Promise.all(projections.all.map(({ progress }) => untilShown(progress, position))),
    close: async () => {
      await projections.stop();
      await queries.close();
    },
  };
});
