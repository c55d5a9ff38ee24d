import { Argument, type Command } from 'commander';
import { whyNotInTree } from '../../../projections/engine/generation/decisions-in-tree.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { streamArgument } from '../log/arguments.js';
import { type JsonOption, jsonOption } from '../output.js';
import { type ReasonOption, reasonOption } from '../reason-option.js';
import { type UserOption, userOption } from '../user-option.js';
import { onEntities } from './on-read-models.js';
import { listAll, retry, show, skip } from './parked-entities.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type SkipOptions = JsonOption & UserOption & ReasonOption;

const LONGEST_REASON = 1_000;

/** `ops projections parked …` */
export const addParked = (projections: Command, registry: Registry): void => {
  const parked = projections
    .command('parked')
    .description('entities that wait because one of their events cannot be projected; all others go on');

  const entity = new Argument('<stream>', 'the entity, as `parked list` names it: <category>-<id>').argParser(
    streamArgument,
  );

  parked
    .command('list', { isDefault: true })
    .description('the first 1,000, those that wait longest first')
    .addOption(jsonOption('one JSON object a line: each parked entity'))
    .action((options: JsonOption) => onEntities(registry, (operations) => listAll(operations, options)));

  parked
    .command('show')
    .addArgument(entity)
    .description(
      'the stored event that the entity waits at, its error, and the version of the program that failed on it',
    )
    .addOption(jsonOption('the same on one line'))
    .action((stream: StreamName, options: JsonOption) =>
      onEntities(registry, (operations) => show(operations, stream, options)),
    );

  parked
    .command('retry')
    .addArgument(entity)
    .description('computes the row of the entity anew with this program; exit code 1 when it stays parked')
    .addOption(jsonOption('one JSON object: the outcome'))
    .action((stream: StreamName, options: JsonOption) =>
      onEntities(registry, (operations) => retry(operations, stream, options)),
    );

  parked
    .command('skip')
    .addArgument(entity)
    .description(
      'records in the sealed tree that the read model skips the event that the entity waits at, and projects ' +
        'the entity without it; the event stays in the log and in the history',
    )
    .addOption(reasonOption(LONGEST_REASON))
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the outcome'))
    .action((stream: StreamName, options: SkipOptions) =>
      onEntities(
        registry,
        (operations) =>
          skip(
            operations,
            stream,
            { actor: options.user, reason: options.reason, at: systemRuntime.clock.date() },
            options,
          ),
        ({ storage, registry: signing }) => whyNotInTree(storage, ledgerOf(signing)),
      ),
    );
};
