import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Account } from '../account.js';
import { cleanEnvironment } from '../run-program.js';

/** A server and the watchdog that stops it when we end, in whatever way. */
export type GuardedProcess = {
  /** Hands over each line of stderr as it comes. */
  readonly onLine: (listener: (line: string) => void) => void;
  /** How it ended; resolves in any case, also when it could not be started. */
  readonly ended: Promise<string>;
  /** Resolves when it has ended and all of its output is read. */
  readonly drained: Promise<void>;
  /** Makes the watchdog stop the server: a fast shutdown. */
  readonly letGo: () => void;
};

/**
 * Runs the server and waits beside it for the end of a pipe whose other end only our process holds. The kernel closes
 * that end when we die, also by kill -9; then the server gets SIGINT, its fast shutdown. Node cannot do this for
 * itself, and Postgres has no such option.
 */
const watchdog = `
"$@" 3<&- &
server=$!
{ read -r nothing <&3; kill -INT "$server"; } 2>/dev/null &
guard=$!
wait "$server"; how=$?
kill "$guard" 2>/dev/null
exit "$how"`;

/** A shell reports the signal that killed its child as 128 + its number. */
const ending = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (signal !== null) return `watchdog killed by ${signal}`;
  return code !== null && code > 128 ? `killed by signal ${code - 128}` : `exit code ${code ?? '?'}`;
};

const start = (program: string, args: ReadonlyArray<string>, account: Account): ChildProcess => {
  const options: SpawnOptions = {
    ...account,
    cwd: '/',
    env: cleanEnvironment,
    detached: true, // out of our process group, or Ctrl-C would reach Postgres before we have finished with it
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  };
  return process.platform === 'win32'
    ? spawn(program, args, options)
    : spawn('/bin/sh', ['-c', watchdog, 'sh', program, ...args], options);
};

/** Never throws and never rejects: a program that cannot be started has `ended`. */
export const startGuarded = (program: string, args: ReadonlyArray<string>, account: Account): GuardedProcess => {
  const child = start(program, args, account);
  const guardPipe = child.stdio[3];
  const letGo = (): void => void guardPipe?.destroy();
  const ended = new Promise<string>((resolve) => {
    child.once('error', (cause) => resolve(cause.message));
    child.once('exit', (code, signal) => resolve(ending(code, signal)));
  });
  guardPipe?.on('error', () => undefined); // the shell's death is seen by 'exit'
  void ended.then(letGo);
  return {
    onLine: (listener) => {
      if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', listener);
    },
    ended,
    drained: new Promise((resolve) => void child.once('close', () => resolve())),
    letGo,
  };
};
