import type { Command } from 'commander';
import { businesses } from '../../../projections/businesses.js';
import { documents } from '../../../projections/documents.js';
import { type Rollback, rollBack } from '../../../projections/engine/rebuild/rollback.js';
import type { SwitchedTo } from '../../../projections/engine/rebuild/switch-to.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { type JsonOption, jsonOption, printFinding } from '../output.js';
import { onReadModels } from './on-read-models.js';
import { namesOf, projectionArgument, type ProjectionName } from './projection-argument.js';
import type { ReadModels } from './with-read-models.js';

const rollBackOne = (name: ProjectionName, deps: Omit<Rollback<never, never>, 'projection'>): Promise<SwitchedTo> =>
  name === 'businesses' ? rollBack({ ...deps, projection: businesses }) : rollBack({ ...deps, projection: documents });

const rollBackAll = async (
  { pool, store }: ReadModels,
  asked: ProjectionName | undefined,
  options: JsonOption,
  signal: AbortSignal,
): Promise<ExitCode> => {
  for (const projection of namesOf(asked)) {
    const began = performance.now();
    const { live, previous } = await rollBackOne(projection, { pool, store, signal });
    const ms = Math.round(performance.now() - began);
    const text = `${projection}: ${live} is live again after ${ms} ms; ${previous ?? 'nothing'} is kept`;
    printFinding(options, text, { projection, live, previous: previous ?? null, milliseconds: ms });
  }
  return EXIT.ok;
};

export const addRollback = (projections: Command): void => {
  projections
    .command('rollback')
    .addArgument(projectionArgument('which one; without it, both'))
    .description(
      'makes the rows live again that were replaced last, in one transaction; again, and it is undone\n' +
        '(they were kept up to date since, for ROLLBACK_WINDOW; refused when there are none)',
    )
    .addOption(jsonOption('one JSON object a line: each read model that was switched'))
    .action((asked: ProjectionName | undefined, options: JsonOption) =>
      onReadModels((readModels, signal) => rollBackAll(readModels, asked, options, signal)),
    );
};
