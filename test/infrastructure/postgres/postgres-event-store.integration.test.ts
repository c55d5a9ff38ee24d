import { eventStoreContract } from '../../contract/event-store.contract.js';
import { freshDatabase } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';

eventStoreContract('in Postgres', async () => {
  const store = await openStore(await freshDatabase());
  return { store, close: store.close };
});
