import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import type { Registry } from '../../entities/registry.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { findMacRequired, requireMac } from '../../event-sourcing/whole-log/mac-required.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding } from '../output.js';
import { type UserOption, userOption } from '../user-option.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { onConfiguredLog } from './with-log.js';

type Options = JsonOption & UserOption;

const require = async (store: EventStore, config: Config, options: Options): Promise<ExitCode> => {
  const keys = await sharedEventKeys(config);
  if (E.isLeft(keys)) return failed(keys.left.message);
  const [newest] = keys.right;
  if (newest === undefined) return failed('not recorded: no key is set (EVENT_KEY_FILE), so no event gets a mac');
  const recorded = await requireMac(store, { actor: options.user, at: new Date() }, newest);
  if (E.isLeft(recorded)) return failed(`not recorded: ${describeAppendFailure(recorded.left)}`);
  const event = await findMacRequired(store);
  if (event === undefined) return failed('the log does not show what was recorded: give the same command again');
  const { stream, id } = event;
  const revision = event.revision.toString();
  const when = recorded.right ? 'recorded' : 'recorded before';
  printFinding(
    options,
    `${when}: ${stream}, revision ${revision}, event ${id}; every event behind it in the log must have a mac`,
    { stream, revision, id, isNew: recorded.right },
  );
  return EXIT.ok;
};

export const addRequireMac = (log: Command, registry: Registry): void => {
  log
    .command('require-mac')
    .description(
      'records in the log, for ever, that every event behind this one must have a mac, so that `log verify` names\n' +
        'those that have none; give it once every process of the service has the event key (EVENT_KEY_FILE)',
    )
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the event that says so'))
    .action((options: Options) => onConfiguredLog(registry, (store, _, config) => require(store, config, options)));
};
