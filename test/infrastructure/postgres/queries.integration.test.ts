import { startProjections } from '../../../projections/engine/live/start-projections.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { makeReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { queriesContract } from '../../contract/queries.contract.js';
import { freshDatabase } from '../../support/postgres.js';

queriesContract('Postgres', async () => {
  const connectionString = await freshDatabase();
  const store = makeInMemoryEventStore();
  const projections = startProjections({
    store,
    connectionString,
    projector: true,
    isSoleProcess: true,
    rollbackWindowMs: 60_000,
    onNotice: () => undefined,
  });
  const queries = makeReadModelQueries({ connectionString });
  return {
    store,
    ...queries,
    shown: (position) =>
      Promise.all([
        projections.businesses.progress.waitFor(position),
        projections.documents.progress.waitFor(position),
      ]),
    close: async () => {
      await projections.stop();
      await queries.close();
    },
  };
});
