import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import { categoriesOf, registry } from '../../../src/entities/registry.js';
import { eventStoreContract } from '../../contract/event-store.contract.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';

const make = async () => {
  const double = await startDouble();
  const opened = openEventStoreDb({ connectionString: double.connectionString, categories: categoriesOf(registry) });
  if (E.isLeft(opened)) throw opened.left;
  const store = opened.right;
  return { store, close: () => store.close().then(double.close) };
};

eventStoreContract('EventStoreDB, over its wire protocol', make, { confirmsNew: false });
