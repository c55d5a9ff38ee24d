import type { Config } from '../config.js';
import { embeddedSnapshotKey } from './disk/development-secret.js';
import type { Random } from '../event-sourcing/random.js';

/**
 * The key that all processes of this service sign rows with (`projections/snapshot.ts`): the configured one, else that
 * of the data directory of an embedded Postgres. Undefined: they share none.
 */
export const sharedSnapshotKey = async (
  random: Random,
  { snapshotKey, databaseUrl, dataDir }: Pick<Config, 'snapshotKey' | 'databaseUrl' | 'dataDir'>,
): Promise<string | undefined> =>
  snapshotKey ?? (databaseUrl === undefined ? embeddedSnapshotKey(random, dataDir) : undefined);
