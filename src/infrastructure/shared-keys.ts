import type { Config } from '../config.js';
import { embeddedLinkKey, embeddedSnapshotKey } from './disk/development-secret.js';
import type { Random } from '../event-sourcing/random.js';

/**
 * A key that all processes of this service share: the configured one, else that of the data directory of an embedded
 * Postgres. Undefined with a `DATABASE_URL` alone: what one process signed would be nothing to the others. Rejects with
 * errors of the file system.
 */
const sharedKey =
  (setting: 'snapshotKey' | 'linkKey', embedded: typeof embeddedSnapshotKey) =>
  async (
    random: Random,
    config: Pick<Config, 'snapshotKey' | 'linkKey' | 'databaseUrl' | 'dataDir'>,
  ): Promise<string | undefined> =>
    config[setting] ?? (config.databaseUrl === undefined ? embedded(random, config.dataDir) : undefined);

/** What rows are signed with (`projections/snapshot.ts`). */
export const sharedSnapshotKey = sharedKey('snapshotKey', embeddedSnapshotKey);

/** What links for a while are signed with. */
export const sharedLinkKey = sharedKey('linkKey', embeddedLinkKey);
