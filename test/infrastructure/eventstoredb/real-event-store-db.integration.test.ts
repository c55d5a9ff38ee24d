import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import { categoriesOf, registry } from '../../../src/entities/registry.js';
import { eventStoreContract } from '../../contract/event-store.contract.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const connectionString = process.env['EVENTSTOREDB_URL'];

const make = (url: string) => {
  const made = openEventStoreDb({ runtime: systemRuntime, connectionString: url, categories: categoriesOf(registry) });
  if (E.isLeft(made)) throw made.left;
  return Promise.resolve({ store: made.right, close: made.right.close });
};

if (connectionString !== undefined)
  eventStoreContract('EventStoreDB itself', () => make(connectionString), { startsEmpty: false, confirmsNew: false });
