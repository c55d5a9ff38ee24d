import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { askRun } from './once-a-run/ask.js';
import { type Written, writtenTo } from './written.js';

export type Ran = {
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

/** Runs an operator's command as a process of its own, to its end. */
export const runOperatorAlone = async (args: ReadonlyArray<string>, options?: Options): Promise<Ran> =>
  (await startOperator(args, options)).done;

/** A command, for a process that runs one after the other. */
export type Asked = {
  readonly args: ReadonlyArray<string>;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
};

/** So many processes run them; most of what a command costs is that its modules are loaded, which each of these does once. */
const AT_ONCE = 3;
let turns = AT_ONCE;
const inLine: Array<() => void> = [];
/** Those that have run a command and wait for the next one. */
const waiting: Array<ChildProcess> = [];

const startWaiting = async (): Promise<ChildProcess> => {
  const child = fork('test/support/commands-in-turn.ts', [await askRun('build')], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
};

/** What is waiting keeps this process from nothing, its end least of all. */
const setWaiting = (child: ChildProcess): void => {
  child.unref();
  child.channel?.unref();
  waiting.push(child);
};

const inTurn = async <A>(work: () => Promise<A>): Promise<A> => {
  if (turns > 0) turns -= 1;
  else await new Promise<void>((resolve) => inLine.push(resolve));
  try {
    return await work();
  } finally {
    const next = inLine.shift();
    if (next === undefined) turns += 1;
    else next();
  }
};

const askWaiting = async (asked: Asked): Promise<Ran> => {
  const child = waiting.pop() ?? (await startWaiting());
  child.ref();
  child.channel?.ref();
  const over = new AbortController();
  const ended = once(child, 'exit', over).then(([code]) => {
    throw new Error(`${asked.args.join(' ')} ended its process with ${String(code)}`);
  });
  const answered = once(child, 'message', over);
  child.send(asked);
  try {
    // reason: what that process answers
    const [ran] = (await Promise.race([answered, ended])) as [Ran];
    setWaiting(child);
    return { ...ran, stderr: ran.stderr.replace(PROGRESS, '') };
  } finally {
    over.abort();
  }
};

/**
 * Runs an operator's command to its end, with this environment and little else, by the program as it is delivered, in a
 * process that runs others before and after it.
 */
export const runOperator = async (
  args: ReadonlyArray<string>,
  { env = {}, input = '' }: Pick<Options, 'env' | 'input'> = {},
): Promise<Ran> => {
  const { PATH = '', HOME = '' } = process.env;
  return inTurn(() => askWaiting({ args, env: { PATH, HOME, ...env }, input }));
};

/** What it has printed to standard output; rejects where it did not end with 0. */
export const outputOfOperator = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
): Promise<string> => {
  const { code, stdout, stderr } = await runOperator(args, { env });
  if (code !== 0) throw new Error(`ops ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
};
