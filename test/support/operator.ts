import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { askRun } from './once-a-run/ask.js';
import { type Written, writtenTo } from './written.js';

type Ran = {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  /** But for lines of progress: there is one a second, so that only a machine that is busy makes a quick command print them. */
  readonly stderr: string;
};

/** `verifying  42%  120000 events  31000/s  00:05 left` */
const PROGRESS = /^\S.* {2}\d+ \w+ {2}\d+\/s(?: {2}[\d:]+ left)?\n/gm;

type RunningOperator = {
  readonly child: ChildProcess;
  readonly stdout: Written;
  readonly stderr: Written;
  readonly done: Promise<Ran>;
};

type Options = {
  readonly env?: Readonly<Record<string, string>>;
  /** What comes on standard input; absent: it stays open, for the caller to write to. */
  readonly input?: string | undefined;
  /** What Node runs; absent: the program as it is delivered. */
  readonly program?: ReadonlyArray<string>;
};

/** A program of its own, with this environment and little else. */
const start = (command: string, args: ReadonlyArray<string>, { env = {}, input }: Options): RunningOperator => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, { env: { PATH, HOME, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });

  const [stdout, stderr] = [writtenTo(child.stdout), writtenTo(child.stderr)];
  // a command that refuses its input may be gone before all of it is written
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const done = once(child, 'close').then(([code, signal]) => ({
    // reason: Node documents the arguments of 'close' so
    code: (code ?? signal) as number | NodeJS.Signals,
    stdout: stdout.text(),
    stderr: stderr.text().replace(PROGRESS, ''),
  }));
  return { child, stdout, stderr, done };
};

/** The path of the program as it is delivered, built from the sources as they are now. */
export const operatorProgram = async (): Promise<string> => path.join(await askRun('build'), 'src/cli/ops.js');

/** Starts an operator's command as a process of its own. */
export const startOperator = async (
  args: ReadonlyArray<string>,
  { env, input = '', program }: Options = {},
): Promise<RunningOperator> =>
  start(process.execPath, [...(program ?? [await operatorProgram()]), ...args], { ...(env && { env }), input });

/**
 * The same at a terminal: what is written to `child.stdin` is typed, `stderr` is what the terminal shows. Needs Python
 * (`hasPython`).
 */
export const startOperatorAtTerminal = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
): Promise<RunningOperator> =>
  start('python3', ['test/support/pseudo-terminal.py', process.execPath, await operatorProgram(), ...args], { env });

export const runOperator = async (args: ReadonlyArray<string>, options?: Options): Promise<Ran> =>
  (await startOperator(args, options)).done;
