import type { EventStoreDbOptions } from '../../../src/infrastructure/eventstoredb/options.js';
import { type EventStoreDbDouble, startDouble } from '../../support/eventstoredb-double/double.js';
import { type OpenedStore, openStore } from '../../support/eventstoredb-double/open-store.js';

export type DoubleAndStore = OpenedStore & { readonly double: EventStoreDbDouble };

/** Runs a test on a new double with a store connected to it, and closes both. */
export const withStore =
  (
    run: (both: DoubleAndStore) => Promise<void>,
    { nodes = 1, ...options }: Partial<EventStoreDbOptions> & { readonly nodes?: number } = {},
  ): (() => Promise<void>) =>
  async () => {
    const double = await startDouble({ nodes });
    const opened = openStore(double.connectionString, options);
    try {
      await run({ ...opened, double });
    } finally {
      await opened.store.close();
      double.close();
    }
  };
