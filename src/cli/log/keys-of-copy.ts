import type { Config } from '../../config.js';
import { encryptionRulesOf, type Registry } from '../../entities/registry.js';
import { isInClear } from '../../event-sourcing/encryption/at-rest.js';
import type { EncryptionRules } from '../../event-sourcing/encryption/encryption.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { isErased } from '../../event-sourcing/hash-chain.js';
import { openKeyState } from '../../infrastructure/postgres/erasure/key-state.js';
import type { ExitCode } from '../exit-code.js';
import { failed } from '../output.js';
import { type Logs, withReadModelsOf } from './move-read-models.js';
import { withKeys } from './with-log.js';

/** Runs with the Postgres of the keys of both logs. */
const withDatabasesOfKeys = (
  config: Config,
  [source, target]: Logs,
  use: (from: string, to: string) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withReadModelsOf(config, target, source, (to) =>
    // both have theirs where this configuration says
    source.database === undefined && target.database === undefined
      ? use(to, to)
      : withReadModelsOf(config, source, target, (from) => use(from, to)),
  );

/** Whether a copy that is to be encrypted was begun as one that is not. A copy is encrypted from its first event on. */
const wasBegunInClear = async (target: EventStore, rules: EncryptionRules): Promise<boolean> => {
  for await (const { events } of target.readAll({ after: 'start' })) {
    const first = events.find((event) => rules.isSecret(event.stream, event.type) && !isErased(event));
    if (first !== undefined) return isInClear(first);
  }
  return false;
};

/**
 * Runs with two logs of which the target is encrypted when it is written, under the keys of a service that uses it; they are made
 * where there are none. What is encrypted in the source is opened. `sayBegun` records in the target that it is encrypted. Needs
 * ERASURE.
 */
export const withEncryptedTarget = (
  config: Config,
  registry: Registry,
  logs: Logs,
  use: (logs: Logs, sayBegun: () => Promise<void>) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withDatabasesOfKeys(config, logs, async (fromUrl, toUrl) => {
    const [source, target] = logs;
    if (await wasBegunInClear(target.log, encryptionRulesOf(registry)))
      return failed('not copied: what the target has already is not encrypted: begin with an empty log');
    return withKeys(config, registry, source, fromUrl, (from) =>
      withKeys(
        config,
        registry,
        target,
        toUrl,
        (to) => {
          if (to.keyControl === undefined) throw new Error('ERASURE is off');
          return use([from, to], to.keyControl.sayBegun);
        },
        'when it is filled',
      ),
    );
  });

/** Brings the keys of an encrypted log to where a service looks for them that uses its copy, before `next` runs. */
export const withKeysBrought = (config: Config, logs: Logs, next: () => Promise<ExitCode>): Promise<ExitCode> =>
  withDatabasesOfKeys(config, logs, async (fromUrl, toUrl) => {
    if (fromUrl === toUrl) return next();
    const [from, to] = [openKeyState(fromUrl), openKeyState(toUrl)];
    try {
      const wanted = await from.read();
      if (wanted === undefined) return await next();
      const { tree, version } = await to.storeFirst(wanted);
      if (tree !== wanted.tree || version > wanted.version)
        return failed('not cut over: the database of the target has other keys, or later ones');
      // after a copy back they are those of before
      if (version < wanted.version) await to.replace(() => wanted);
      return await next();
    } finally {
      await from.close();
      await to.close();
    }
  });
