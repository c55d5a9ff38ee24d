import type { Config } from '../config.js';
import { embeddedLinkKey } from './disk/development-secret.js';
import type { Random } from '../event-sourcing/random.js';

/**
 * The key that all processes of this service sign links for a while with: the configured one, else that of the data
 * directory of an embedded Postgres. Undefined with a `DATABASE_URL` alone: a link that one process made would be none to
 * the others. Rejects with errors of the file system.
 */
export const sharedLinkKey = async (
  random: Random,
  { linkKey, databaseUrl, dataDir }: Pick<Config, 'linkKey' | 'databaseUrl' | 'dataDir'>,
): Promise<string | undefined> => linkKey ?? (databaseUrl === undefined ? embeddedLinkKey(random, dataDir) : undefined);
