import { encryptedStore } from '../../../src/event-sourcing/encryption/encrypted-store.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { eventStoreContract } from '../../contract/event-store.contract.js';
import { makeEncryption } from '../../support/encrypted.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore } from '../../support/eventstoredb-double/open-store.js';

const make = async (of: (store: EventStore) => EventStore) => {
  const double = await startDouble();
  const { store } = openStore(double.connectionString);
  return { store: of(store), close: () => store.close().then(double.close) };
};

eventStoreContract('EventStoreDB, over its wire protocol', () => make((store) => store), { confirmsNew: false });

eventStoreContract(
  'EventStoreDB, over its wire protocol, encrypted',
  () => make((store) => encryptedStore(store, makeEncryption())),
  { confirmsNew: false },
);
