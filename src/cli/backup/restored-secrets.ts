import type { Config } from '../../config.js';
import { OWN_SECRETS, putSecrets, type SecretsPlan } from '../../infrastructure/disk/own-secrets.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import { printNote } from '../output.js';

const CHECKPOINT_KEY = OWN_SECRETS.checkpointKey.file;

/** Says which secrets were restored, and what becomes of the others. */
export const sayRestoredSecrets = ({ wanted, unread, made }: SecretsPlan, directory: string): void => {
  if (wanted.length > 0) printNote(`secrets restored: ${wanted.map(({ name }) => name).join(', ')}`);
  for (const { name, setting } of unread)
    printNote(
      `${directory}/secrets/${name} is not used with these settings: set ${setting}_FILE to a copy of it before the service starts`,
    );
  for (const { file, without } of Object.values(OWN_SECRETS))
    if (made.includes(file) && without !== undefined)
      printNote(`${file} was not restored, and the service makes a new one: ${without}`);
};

/** All but the key of the checkpoints. */
export const putOtherSecrets = (config: Config, { wanted }: SecretsPlan): Promise<void> =>
  putSecrets(
    systemRuntime.random,
    config,
    wanted.filter(({ name }) => name !== CHECKPOINT_KEY),
  );

/** Whoever signs with the key of the backup has all of its history, and unless it replaces the old one, an origin of its own. */
export const putCheckpointKey = (config: Config, { wanted }: SecretsPlan): Promise<void> =>
  putSecrets(
    systemRuntime.random,
    config,
    wanted.filter(({ name }) => name === CHECKPOINT_KEY),
  );

/** As the service will be once the key of the checkpoints is in its place. */
export const signing = (config: Config, { wanted }: SecretsPlan): Config => {
  const key = wanted.find(({ name }) => name === CHECKPOINT_KEY);
  return key === undefined ? config : { ...config, checkpointKey: key.text };
};
