import type { Pool } from 'pg';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { unlessNoTable } from '../../../src/postgres/sql-failure.js';
import type { ReadModelStorage } from '../storage.js';
import { noteAcknowledged } from './acknowledged.js';
import { change } from './change.js';
import { compareWithLive } from './compare-with-live.js';
import { complete } from './complete.js';
import { readGenerations } from './generations.js';
import { holdsMore } from './holds-more.js';
import { acquireLease, releaseLease } from './leases.js';
import { listenToLiveCheckpoints, readLiveCheckpoints } from './live-checkpoints.js';
import { loadByKey } from './load/load-by-key.js';
import { countParked, findParked, listParked } from './parked.js';
import { readStatuses } from './read-statuses.js';
import { rewrite, whyRejected } from './rows/rewrite.js';
import { makeRowStorage, whileWriting } from './rows/row-storage.js';
import { hasReadModels, migrateReadModels } from './schema/schema.js';
import { makeStoredLedger } from './stored-ledger.js';
import { makeStoredRows } from './stored-rows.js';

type PostgresStorageDeps = {
  readonly runtime: Runtime;
  readonly pool: Pool;
  /** Of the same database: listening needs a connection of its own. */
  readonly connectionString: string;
};

/** Read models in Postgres: a table for each generation, and the engine's own tables beside them. */
export const makePostgresStorage = ({ runtime, pool, connectionString }: PostgresStorageDeps): ReadModelStorage => ({
  ...makeRowStorage(pool),
  whileWriting: (work) => whileWriting(pool, work),

  migrate: () => migrateReadModels(pool),
  isMigrated: () => hasReadModels(pool),

  generations: (readModel) => readGenerations(pool, readModel),
  statuses: () => unlessNoTable(() => readStatuses(pool), []),
  liveCheckpoints: () => readLiveCheckpoints(pool),
  listen: (...listener) => listenToLiveCheckpoints(runtime, connectionString, ...listener),
  noteAcknowledged: (readModel, position) => noteAcknowledged(pool, readModel, position),

  acquire: (name, holder, takeOver) => acquireLease(pool, name, holder, takeOver),
  release: (lease) => releaseLease(pool, lease),

  change: (projection, decide, options) => change(pool, projection, decide, options),
  holdsMore: (rows, than) => holdsMore(pool, rows, than),
  complete: (projection, generation) => complete(pool, projection, generation),
  compare: (writer, decide, differences) => compareWithLive(pool, writer, decide, differences),

  rewrite: (writer, at, row) => rewrite(pool, writer, at, row),
  whyRejected: (writer, entity) => whyRejected(pool, writer, entity),

  countParked: () => countParked(pool),
  listParked: (limit) => listParked(pool, limit),
  findParked: (stream) => findParked(pool, stream),

  storedRows: (projection, generation) => makeStoredRows(pool, projection, generation),
  storedLedger: (ledger) => makeStoredLedger(pool, ledger),

  loadByKey: (writer, order, upTo, loading) => loadByKey(pool, writer, order, upTo, loading),
});
