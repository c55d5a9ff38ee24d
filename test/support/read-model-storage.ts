import type { Pool } from 'pg';
import { openPostgresStorage } from '../../projections/engine/postgres/open-postgres-storage.js';
import { makePostgresStorage } from '../../projections/engine/postgres/postgres-storage.js';
import type { OwnStorage, ReadModelStorage } from '../../projections/engine/storage.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** The read models in a database, by connections of their own. */
export const ownStorage = (connectionString: string): OwnStorage =>
  openPostgresStorage({ runtime: systemRuntime, connectionString, name: 'projections', connections: 12 });

/** The read models in the database of a pool. Nobody listens there. */
export const storageIn = (pool: Pool): ReadModelStorage =>
  makePostgresStorage({ runtime: systemRuntime, pool, connectionString: '' });
