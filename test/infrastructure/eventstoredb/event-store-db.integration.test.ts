import { eventStoreContract } from '../../contract/event-store.contract.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore } from '../../support/eventstoredb-double/open-store.js';

const make = async () => {
  const double = await startDouble();
  const { store } = openStore(double.connectionString);
  return { store, close: () => store.close().then(double.close) };
};

eventStoreContract('EventStoreDB, over its wire protocol', make, { confirmsNew: false });
