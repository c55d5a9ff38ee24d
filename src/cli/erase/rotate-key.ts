import type { Command } from 'commander';
import type { Registry } from '../../entities/registry.js';
import { EXIT } from '../exit-code.js';
import { printLine } from '../output.js';
import { onErasableLog } from './erasing.js';

export const addRotateKey = (erase: Command, registry: Registry): void => {
  erase
    .command('rotate-key')
    .description(
      'keeps the keys of the data under the first line of ERASURE_KEY. Every process needs that line before, beside the old\n' +
        'one; the old one can be removed afterwards: then no copy of the keys from before can be opened',
    )
    .action(() =>
      onErasableLog(registry, async ({ keyControl }) => {
        await keyControl.rewrap();
        printLine('the keys are kept under the first line of ERASURE_KEY');
        return EXIT.ok;
      }),
    );
};
