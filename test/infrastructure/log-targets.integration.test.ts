import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { logTargetContract } from '../contract/log-target.contract.js';
import { startDouble } from '../support/eventstoredb-double/double.js';
import { openStore } from '../support/eventstoredb-double/open-store.js';
import { freshDatabase } from '../support/postgres.js';
import { openStore as openPostgres } from '../support/postgres-event-store.js';

logTargetContract('the in-memory event store', () =>
  Promise.resolve({ target: makeInMemoryEventStore(), close: () => Promise.resolve() }),
);

logTargetContract('the Postgres event store', async () => {
  const target = await openPostgres(await freshDatabase());
  return { target, close: target.close };
});

logTargetContract("EventStoreDB's wire protocol", async () => {
  const double = await startDouble();
  const { store: target } = openStore(double.connectionString);
  const close = async (): Promise<void> => {
    await target.close();
    double.close();
  };
  return { target, close };
});
