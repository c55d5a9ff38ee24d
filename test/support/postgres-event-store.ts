import { either as E } from 'fp-ts';
import {
  makePostgresEventStore,
  type PostgresEventStore,
  type PostgresEventStoreOptions,
} from '../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** For arranging: throws when the store cannot be opened. */
export const openStore = async (
  connectionString: string,
  options: Omit<PostgresEventStoreOptions, 'connectionString' | 'runtime'> = {},
): Promise<PostgresEventStore> => {
  const opened = await makePostgresEventStore({ runtime: systemRuntime, connectionString, ...options });
  if (E.isLeft(opened)) throw opened.left;
  return opened.right;
};
