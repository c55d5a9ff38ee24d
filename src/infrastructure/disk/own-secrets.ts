import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BackupFault } from '../../backup/backup-fault.js';
import type { Secret } from '../../backup/secrets.js';
import type { Config } from '../../config.js';
import { createFirst } from './durable-files.js';
import { unlessMissing } from './missing-files.js';
import { prepareDirectory } from './usable-directory.js';
import type { Random } from '../../event-sourcing/random.js';

type SecretSettings = Pick<
  Config,
  | 'dataDir'
  | 'databaseUrl'
  | 'eventKeys'
  | 'snapshotKey'
  | 'checkpointKey'
  | 'linkKey'
  | 'erasure'
  | 'erasureKeys'
  | 'jwt'
  | 'metricsToken'
>;

/** The secrets of a service: files that it made in its data directory, and settings. */
type Secrets = { readonly own: ReadonlyArray<string>; readonly given: ReadonlyArray<string> };

/** The secrets that a service makes for itself where no setting gives them: the file, the setting, the effect without it. */
export const OWN_SECRETS = {
  eventKey: {
    file: 'event-key',
    setting: 'EVENT_KEY',
    without: '`ops log verify` takes the restored events for suspect',
  },
  // rows are signed with it, and a new installation makes its own rows
  snapshotKey: { file: 'snapshot-key', setting: 'SNAPSHOT_KEY', without: undefined },
  checkpointKey: {
    file: 'checkpoint-key',
    setting: 'CHECKPOINT_KEY',
    without: 'checkpoints are signed with another key',
  },
  erasureKey: {
    file: 'erasure-key',
    setting: 'ERASURE_KEY',
    without: 'the data of records that was encrypted cannot be read',
  },
  linkKey: { file: 'link-key', setting: 'LINK_KEY', without: 'links that were handed out are not valid' },
  jwtSecret: { file: 'jwt-secret', setting: 'JWT_SECRET', without: 'earlier tokens are not valid' },
} as const;

/** Which secrets the service reads from its data directory, by file, and which its settings give, by setting. */
export const secretsOf = (config: SecretSettings): Secrets => {
  const { databaseUrl, jwt, metricsToken } = config;
  const { jwtSecret } = OWN_SECRETS;
  const own: Array<string> = jwt.key._tag === 'Development' ? [jwtSecret.file] : [];
  const given: Array<string> = jwt.key._tag === 'Secret' ? [jwtSecret.setting] : [];
  const { eventKeys: eventKey, snapshotKey, checkpointKey, linkKey } = config;
  const settings = { eventKey, snapshotKey, checkpointKey, linkKey };
  for (const name of ['eventKey', 'snapshotKey', 'checkpointKey', 'linkKey'] as const)
    if (settings[name] !== undefined) given.push(OWN_SECRETS[name].setting);
    else if (databaseUrl === undefined) own.push(OWN_SECRETS[name].file);
  const { erasureKey } = OWN_SECRETS;
  if (config.erasureKeys !== undefined) given.push(erasureKey.setting);
  else if (config.erasure && databaseUrl === undefined) own.push(erasureKey.file);
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
  const unread = Object.values(OWN_SECRETS)
    .filter(({ file, setting }) => has(file) && !own.includes(file) && !given.includes(setting))
    .map(({ file, setting }) => ({ name: file, setting }));
  return { wanted, unread, made: own.filter((name) => !has(name) && !there.has(name)) };
};

/** Puts secrets into the data directory, unless they are there. */
export const putSecrets = async (
  random: Random,
  config: SecretSettings,
  secrets: ReadonlyArray<Secret>,
): Promise<void> => {
  await prepareDirectory(random, config.dataDir);
  for (const { name, text } of secrets) await createFirst(random, path.join(config.dataDir, name), text);
};
