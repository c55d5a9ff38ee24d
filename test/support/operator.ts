import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

type Ran = { readonly code: number | NodeJS.Signals; readonly stdout: string; readonly stderr: string };

type RunningOperator = {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly done: Promise<Ran>;
};

type Options = { readonly env?: Readonly<Record<string, string>>; readonly input?: string };

/** Starts an operator's command from its sources as a process of its own. */
export const startOperator = (args: ReadonlyArray<string>, { env = {}, input = '' }: Options = {}): RunningOperator => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/ops.ts', ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // a command that refuses its input may be gone before all of it is written
  child.stdin.on('error', () => undefined).end(input);
  const done = once(child, 'close').then(([code, signal]) => ({
    // reason: Node documents the arguments of 'close' so
    code: (code ?? signal) as number | NodeJS.Signals,
    stdout,
    stderr,
  }));
  return { child, stderr: () => stderr, done };
};

export const runOperator = (args: ReadonlyArray<string>, options?: Options): Promise<Ran> =>
  startOperator(args, options).done;
