import type { Command } from 'commander';
import { categoriesOf } from '../../../projections/read-model.js';
import { readModelsOf, type Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printNote } from '../output.js';
import { type GenerationLine, type Reading, toLine } from './generation-line.js';
import { onReadModels } from './on-read-models.js';
import type { ReadModels } from './with-read-models.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & { readonly watch?: true };

/** Between two readings, ms; the rate is that of the time between. */
const POLL_MS = 1_000;

const NO_READ_MODELS =
  'there are no read models yet: a service that runs makes them, and so does `ops projections rebuild`';

const COLUMNS = {
  projection: 'projection',
  generation: 'generation',
  role: 'role',
  position: 'position',
  head: 'head',
  lagEvents: 'lag',
  lagSeconds: 'seconds',
  rate: 'events/s',
  leader: 'leader',
  leaseSeconds: 'lease s',
  parked: 'parked',
  lastError: 'last error',
} as const satisfies Partial<Record<keyof GenerationLine, string>>;

const table = (lines: ReadonlyArray<GenerationLine>): string => {
  // reason: the keys of a constant are its keys
  const columns = Object.keys(COLUMNS) as ReadonlyArray<keyof typeof COLUMNS>;
  const cells = [
    columns.map((column): string => COLUMNS[column]),
    ...lines.map((line) => columns.map((column) => String(line[column] ?? '-'))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: ReadonlyArray<string>): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return `${cells.map((row) => lineOf(row).trimEnd()).join('\n')}\n`;
};

const read = async ({ store, storage, registry }: ReadModels, before: Reading | undefined) => {
  const statuses = await storage.statuses();
  const now: Reading = {
    at: systemRuntime.clock.monotonic(),
    checkpoints: new Map(statuses.map(({ name, checkpoint }) => [name, checkpoint])),
  };
  const categories = new Map(readModelsOf(registry).map((model) => [model.name, categoriesOf(model)]));
  const lines = statuses.map((status) => toLine(store, categories.get(status.projection), status, before));
  return { now, lines: await Promise.all(lines) };
};

const show = (lines: ReadonlyArray<GenerationLine>, { json, watch }: Options): void => {
  if (json === true) process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  // a terminal is cleared first; a pipe gets one table after the other
  else process.stdout.write(`${watch === true && process.stdout.isTTY ? '\u001b[H\u001b[2J' : ''}${table(lines)}`);
};

/** Prints why rows are of another log, below the table: a sentence does not fit into a column. */
const printWrongLogs = (lines: ReadonlyArray<GenerationLine>): ExitCode => {
  const reasons = new Set(lines.flatMap(({ refused }) => (refused === null ? [] : [refused])));
  for (const reason of reasons) printNote(reason);
  return reasons.size === 0 ? EXIT.ok : EXIT.failed;
};

const status = async (readModels: ReadModels, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  if (!(await readModels.storage.isMigrated())) return failed(NO_READ_MODELS);
  await readModels.storage.migrate();
  let { now } = await read(readModels, undefined);
  let code: ExitCode = EXIT.ok;
  do {
    if (!(await systemRuntime.clock.sleep(POLL_MS, signal))) break;
    const next = await read(readModels, now);
    ({ now } = next);
    show(next.lines, options);
    code = printWrongLogs(next.lines);
  } while (options.watch === true);
  return signal.aborted && options.watch !== true ? EXIT.interrupted : code;
};

export const addStatus = (projections: Command, registry: Registry): void => {
  projections
    .command('status')
    .description(
      'how far the rows of each read model are, who writes them, and what cannot be projected\n' +
        '(head: position of its newest event in the log; position: how far the log was read, which may be further)',
    )
    .option('--watch', 'again every second, until it is interrupted')
    .addOption(jsonOption('one JSON object a line: each row'))
    .action((options: Options) => onReadModels(registry, (readModels, signal) => status(readModels, options, signal)));
};
