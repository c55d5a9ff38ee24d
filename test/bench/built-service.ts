import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { JWT_SECRET } from '../support/service-process.js';

export type BuiltService = {
  readonly pid: number;
  /** `http://host:port`. */
  readonly address: string;
  /** Asks it to stop; resolves when the process has ended. */
  readonly stop: () => Promise<void>;
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
};

type Circumstances = {
  /** `ulimit -n`, for the process and what it starts; absent: that of this process. */
  readonly openFiles?: number;
  /** Takes what it writes to standard error, which goes to our own otherwise. */
  readonly onError?: (text: string) => void;
};

/** What `npm start` runs, without the name of the program. */
const startArguments = async (): Promise<ReadonlyArray<string>> => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } }; // reason: ours
  return scripts.start.split(' ').slice(1);
};

/** A program that only lowers the limit, of which no process is left. */
const limited = (openFiles: number, command: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...['bash', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'bash'],
  ...command,
];

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Has a process end with this one, however this one ends (but for SIGKILL). */
const endTogether = (child: ChildProcess): void => {
  const end = (): void => void child.kill('SIGTERM');
  const leave = (): void => process.exit(1);
  process.on('exit', end);
  for (const signal of SIGNALS) process.on(signal, leave);
  child.once('exit', () => {
    process.off('exit', end);
    for (const signal of SIGNALS) process.off(signal, leave);
  });
};

/**
 * Starts the built service in a process of its own, on a free port, as `npm start` does; resolves when it listens.
 * Nobody keeps its log.
 */
export const startBuiltService = async (
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  { openFiles, onError }: Circumstances = {},
): Promise<BuiltService> => {
  const { PATH = '' } = process.env;
  const env = { PATH, PORT: '0', DATA_DIR: dataDir, JWT_SECRET, ...settings };
  const plain = [process.execPath, ...(await startArguments())];
  const [program = '', ...args] = openFiles === undefined ? plain : limited(openFiles, plain);
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', onError === undefined ? 'inherit' : 'pipe'] });
  endTogether(child);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => onError?.(text));
  // reason: Node documents the arguments of 'exit' so
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  // reason: 'pipe' above
  for await (const line of createInterface(child.stdout!)) {
    const { msg, address } = JSON.parse(line) as { msg?: string; address?: string }; // reason: the log is JSON lines
    if (msg !== 'listening' || address === undefined || child.pid === undefined) continue;
    child.stdout!.resume();
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      await exited;
    };
    return { pid: child.pid, address, stop, exited };
  }
  throw new Error('the service did not start');
};
