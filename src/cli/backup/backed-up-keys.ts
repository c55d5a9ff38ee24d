import { either as E } from 'fp-ts';
import { backedUpLog } from '../../backup/backed-up-log.js';
import { erasedIn, openTree, readTreeFile } from '../../backup/backed-up-keys.js';
import { BackupFault } from '../../backup/backup-fault.js';
import type { BackupPlace } from '../../backup/backup-place.js';
import type { OpenEvents } from '../../backup/copied-files.js';
import type { Manifest } from '../../backup/manifest.js';
import type { Config } from '../../config.js';
import { keyList } from '../../config/variables.js';
import { encryptionRulesOf, type Registry } from '../../entities/registry.js';
import { openEvents } from '../../event-sourcing/encryption/open-events.js';
import { wrapTree } from '../../event-sourcing/encryption/wrapped-tree.js';
import type { KeyPath } from '../../event-sourcing/encryption/key-tree.js';
import { makeEventKey } from '../../event-sourcing/event-key.js';
import type { CommandPool } from '../with-command-pool.js';
import { OWN_SECRETS } from '../../infrastructure/disk/own-secrets.js';
import { storeFirstTree } from '../../infrastructure/postgres/erasure/key-state.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** What the encrypted events of a backup are read with. */
export type BackedUpKeys = {
  readonly open: OpenEvents;
  /** Puts the keys into the database of an installation. Throws `BackupFault` where it has others. */
  readonly store: (pool: CommandPool) => Promise<void>;
};

const NOT_ENCRYPTED: BackedUpKeys = { open: (events) => events, store: () => Promise.resolve() };

/** The configured ones, else those in the backup: a key that is made here has nothing to do with what it has. */
const secretsOf = async (
  place: BackupPlace,
  configured: ReadonlyArray<string> | undefined,
  { file }: { readonly file: string },
): Promise<ReadonlyArray<string>> => {
  if (configured !== undefined) return configured;
  const list = keyList((await place.readSecret(file)) ?? '');
  return E.isRight(list) ? list.right : [];
};

/**
 * The keys of a backup, by the ERASURE_KEY of the settings or the one in it, without those that its own log says were destroyed,
 * and those at `places`. Throws `BackupFault` where they cannot be opened.
 */
export const openBackedUpKeys = async (
  place: BackupPlace,
  manifest: Manifest,
  config: Config,
  registry: Registry,
  places: ReadonlyArray<KeyPath> = [],
): Promise<BackedUpKeys> => {
  const stored = await readTreeFile(place);
  if (stored === undefined) return NOT_ENCRYPTED;
  const secrets = await secretsOf(place, config.erasureKeys, OWN_SECRETS.erasureKey);
  const eventKeys = (await secretsOf(place, config.eventKeys, OWN_SECRETS.eventKey)).map(makeEventKey);
  const destroyed = [...places, ...(await erasedIn(backedUpLog(place, manifest), eventKeys))];
  const tree = openTree(stored, secrets).without(destroyed);
  const { random } = systemRuntime;
  const encryption = { rules: encryptionRulesOf(registry), keys: () => tree, random };
  return {
    open: (events) => openEvents(encryption, events),
    store: async (pool) => {
      const [secret = ''] = secrets;
      const kept = await storeFirstTree(pool, { ...stored, wrapped: wrapTree(tree, secret, stored, random) });
      if (kept.tree !== stored.tree) throw new BackupFault('the database has the keys of another log');
      // an earlier run may have had a list of erasures, and recorded nothing of it yet
      if (!openTree(kept, secrets).without(destroyed).toBytes().equals(tree.toBytes()))
        throw new BackupFault('an earlier run has destroyed more keys there: give the same --erasures again');
    },
  };
};
