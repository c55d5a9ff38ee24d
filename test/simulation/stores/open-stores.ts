import { makeMemoryStore } from './memory-store.js';
import { openPostgres } from './postgres-store.js';
import type { MakeStore, StoreName } from './stores.js';

type OpenStores = {
  /** Opens it with the first life that is over it. */
  readonly of: (name: StoreName) => Promise<MakeStore>;
  readonly close: () => Promise<void>;
};

/** The stores of this process; `server`: a Postgres for those that need one. */
export const openStores = (server: string | undefined): OpenStores => {
  let postgres: ReturnType<typeof openPostgres> | undefined;
  return {
    of: async (name) => {
      if (name === 'memory') return makeMemoryStore;
      if (server === undefined) throw new Error(`there is no Postgres for lives over ${name}`);
      return (await (postgres ??= openPostgres(server)))[name];
    },
    close: async () => (await postgres)?.close(),
  };
};
