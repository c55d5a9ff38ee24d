import { either as E } from 'fp-ts';
import { encryptedStore } from '../../../src/event-sourcing/encryption/encrypted-store.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import { categoriesOf, registry } from '../../../src/entities/registry.js';
import { eventStoreContract } from '../../contract/event-store.contract.js';
import { makeEncryption } from '../../support/encrypted.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const connectionString = process.env['EVENTSTOREDB_URL'];

const make = (url: string, of: (store: EventStore) => EventStore) => {
  const made = openEventStoreDb({ runtime: systemRuntime, connectionString: url, categories: categoriesOf(registry) });
  if (E.isLeft(made)) throw made.left;
  return Promise.resolve({ store: of(made.right), close: made.right.close });
};

if (connectionString !== undefined) {
  const options = { startsEmpty: false, confirmsNew: false };
  eventStoreContract('EventStoreDB itself', () => make(connectionString, (store) => store), options);
  eventStoreContract(
    'EventStoreDB itself, encrypted',
    () => make(connectionString, (store) => encryptedStore(store, makeEncryption())),
    options,
  );
}
