import type { Command } from 'commander';
import { readErasures } from '../../application/erasure/read-erasures.js';
import type { Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { type JsonOption, jsonOption, printFinding, printLine } from '../output.js';
import { counted } from '../plural.js';
import { type ErasableLog, onErasableLog } from './erasing.js';

const list = async ({ store, keys }: ErasableLog, options: JsonOption): Promise<ExitCode> => {
  let count = 0;
  const log = orThrow(await store.identity());
  for await (const { at, actor, basis, records, unfinished } of readErasures(store, keys)) {
    count += 1;
    const state = unfinished.length === 0 ? 'complete' : `not ended: ${counted(unfinished.length, 'record')} left`;
    printFinding(
      options,
      [
        `${at}  ${actor}  ${counted(records.length, 'record')}  ${state}  ${basis}`,
        ...records.map(({ stream }) => `  ${stream.replace('-', '/')}`),
      ],
      { log, at, user: actor, basis, records, isComplete: unfinished.length === 0 },
    );
  }
  if (count === 0 && options.json !== true) printLine('nothing was erased');
  return EXIT.ok;
};

export const addList = (erase: Command, registry: Registry): void => {
  erase
    .command('list')
    .description(
      'shows the erasures that were recorded: when, by whom, of what, on what basis, whether they have ended',
    )
    .addOption(jsonOption('one JSON object a line for each'))
    .action((options: JsonOption) => onErasableLog(registry, (log) => list(log, options)));
};
