import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Registry } from '../../entities/registry.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import { recordArgument, recordsIn } from '../audit/record-argument.js';
import { instantArgument } from '../instant-argument.js';
import { jsonOption } from '../output.js';
import { withReadModels } from '../projections/with-read-models.js';
import { runCommand } from '../run-command.js';
import { readerOption, userOption } from '../user-option.js';
import { type ListOptions, listReads } from './list.js';
import { prune, type PruneOptions } from './prune.js';

/** What is to come is not pruned: the row that says so would be gone with the rest. */
const pastArgument = (text: string): Date => {
  const instant = instantArgument(text);
  if (instant > systemRuntime.clock.date()) throw new InvalidArgumentError('Give a time that is over.');
  return instant;
};

/** `ops reads …` */
export const addReads = (program: Command, registry: Registry): void => {
  const reads = program
    .command('reads')
    .description('who read histories, earlier states and files, or exported them, as the service has recorded it');

  reads
    .command('list', { isDefault: true })
    .description('the newest 100, or with --json or --csv all; this command is itself recorded')
    .option('--user <user>', 'only what this user read')
    .option(
      '--record <record>',
      `only reads of ${recordsIn(registry)}`,
      (text: string) => recordArgument(registry)(text)[0],
    )
    .option('--since <time>', 'only reads of this time or later', instantArgument)
    .addOption(jsonOption('one JSON object a line: each read, as the API shows it').conflicts('csv'))
    .option('--csv', 'a table of comma-separated values, as the API gives it')
    .addOption(readerOption())
    .action((options: ListOptions) =>
      runCommand((config, signal) =>
        withReadModels(config, registry, signal, (readModels) => listReads(readModels, config, options, signal)),
      ),
    );

  reads
    .command('prune')
    .description('removes what was read before a time, for the owner of the table alone; the record says that it was')
    .addOption(new Option('--before <time>', 'remove what is older').argParser(pastArgument).makeOptionMandatory(true))
    .addOption(userOption('who decides; kept in the record of reads'))
    .addOption(jsonOption('one JSON object: how many were removed'))
    .action((options: PruneOptions) =>
      runCommand((config, signal) =>
        withReadModels(config, registry, signal, (readModels) => prune(readModels, options)),
      ),
    );
};
