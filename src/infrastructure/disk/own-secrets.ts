import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { BackupFault } from '../../backup/backup-fault.js';
import type { Secret } from '../../backup/secrets.js';
import type { Config } from '../../config.js';
import { createFirst } from './durable-files.js';
import { unlessMissing } from './missing-files.js';

type SecretSettings = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'eventKeys' | 'snapshotKey' | 'checkpointKey' | 'jwt' | 'metricsToken'
>;

/** The secrets of a service: files that it made in its data directory, and settings. */
type Secrets = { readonly own: ReadonlyArray<string>; readonly given: ReadonlyArray<string> };

/** The setting in place of which the service makes a file, and the file. */
const KEYS = { EVENT_KEY: 'event-key', SNAPSHOT_KEY: 'snapshot-key', CHECKPOINT_KEY: 'checkpoint-key' } as const;

const FILES: Readonly<Record<string, string>> = { ...KEYS, JWT_SECRET: 'jwt-secret' };

/** Which secrets the service reads from its data directory, by file, and which its settings give, by setting. */
export const secretsOf = (config: SecretSettings): Secrets => {
  const { eventKeys, snapshotKey, checkpointKey, databaseUrl, jwt, metricsToken } = config;
  const settings = { EVENT_KEY: eventKeys, SNAPSHOT_KEY: snapshotKey, CHECKPOINT_KEY: checkpointKey };
  const own: Array<string> = jwt.key._tag === 'Development' ? ['jwt-secret'] : [];
  const given: Array<string> = jwt.key._tag === 'Secret' ? ['JWT_SECRET'] : [];
  for (const name of ['EVENT_KEY', 'SNAPSHOT_KEY', 'CHECKPOINT_KEY'] as const)
    if (settings[name] !== undefined) given.push(name);
    else if (databaseUrl === undefined) own.push(KEYS[name]);
  if (metricsToken !== undefined) given.push('METRICS_TOKEN');
  return { own, given };
};

const read = (directory: string, name: string): Promise<string | undefined> =>
  unlessMissing(readFile(path.join(directory, name), 'utf8'));

/** The secrets that the service has made in its data directory; one that is not there yet is none. */
export const readOwnSecrets = async (config: SecretSettings): Promise<ReadonlyArray<Secret>> => {
  const secrets: Array<Secret> = [];
  for (const name of secretsOf(config).own) {
    const text = await read(config.dataDir, name);
    if (text !== undefined) secrets.push({ name, text });
  }
  return secrets;
};

/** What becomes of the secrets of a backup. */
export type SecretsPlan = {
  /** Those that belong into the data directory. */
  readonly wanted: ReadonlyArray<Secret>;
  /** Those that a service with these settings does not read from there, each with the setting that would give it. */
  readonly unread: ReadonlyArray<{ readonly name: string; readonly setting: string }>;
  /** Those that the service makes anew, because the backup does not have them. */
  readonly made: ReadonlyArray<string>;
};

/** Throws `BackupFault` where the data directory has another one already. */
export const planSecrets = async (config: SecretSettings, secrets: ReadonlyArray<Secret>): Promise<SecretsPlan> => {
  const { own, given } = secretsOf(config);
  const there = new Map((await readOwnSecrets(config)).map(({ name, text }) => [name, text]));
  const wanted = secrets.filter(({ name }) => own.includes(name));
  for (const { name, text } of wanted)
    if (there.has(name) && there.get(name) !== text)
      throw new BackupFault(`${path.join(config.dataDir, name)} is another one than that of the backup`);
  const has = (name: string): boolean => secrets.some((secret) => secret.name === name);
  const unread = Object.entries(FILES)
    .filter(([setting, name]) => has(name) && !own.includes(name) && !given.includes(setting))
    .map(([setting, name]) => ({ name, setting }));
  return { wanted, unread, made: own.filter((name) => !has(name) && !there.has(name)) };
};

/** Puts secrets into the data directory, unless they are there. */
export const putSecrets = async (config: SecretSettings, secrets: ReadonlyArray<Secret>): Promise<void> => {
  await mkdir(config.dataDir, { recursive: true });
  for (const { name, text } of secrets) await createFirst(path.join(config.dataDir, name), text);
};
