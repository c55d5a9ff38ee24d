import { freshDatabase } from './postgres.js';

/** The settings of an installation whose data is encrypted: a new database, and files in this directory. */
export const encryptedInstallation = async (dataDir: string): Promise<Record<string, string>> => ({
  DATABASE_URL: await freshDatabase(),
  DATA_DIR: dataDir,
  ERASURE: 'true',
  EVENT_KEY: 'an event key of thirty-two bytes and more',
  ERASURE_KEY: 'an erasure key of thirty-two bytes',
});
