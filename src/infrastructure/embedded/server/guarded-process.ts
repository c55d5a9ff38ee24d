import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Account } from '../account.js';
import { cleanEnvironment } from '../run-program.js';

/** A server with a watchdog, which stops it when this process ends, however it ends. */
export type GuardedProcess = {
  /** Calls `listener` with each line of stderr. */
  readonly onLine: (listener: (line: string) => void) => void;
  /** How it ended. Also resolves, with the reason, when it could not be started. */
  readonly ended: Promise<string>;
  /** Resolves when it has ended and all of its output has been read. */
  readonly drained: Promise<void>;
  /** Makes the watchdog stop the server, by a fast shutdown. */
  readonly triggerWatchdog: () => void;
};

/**
 * A shell script that runs the server and, beside it, waits for the end of a pipe whose other end only our process
 * holds. The kernel closes that end when our process dies, also by kill -9; then the script sends the server SIGINT, its
 * fast shutdown. Neither Node nor Postgres has an option for this.
 */
const watchdog = `
"$@" 3<&- &
server=$!
{ read -r nothing <&3; kill -INT "$server"; } 2>/dev/null &
guard=$!
wait "$server"; how=$?
kill "$guard" 2>/dev/null
exit "$how"`;

/** A shell's exit code is 128 + the number of the signal that killed its child. */
const exitReason = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (signal !== null) return `watchdog killed by ${signal}`;
  return code !== null && code > 128 ? `killed by signal ${code - 128}` : `exit code ${code ?? '?'}`;
};

const start = (program: string, args: ReadonlyArray<string>, account: Account): ChildProcess => {
  const options: SpawnOptions = {
    ...account,
    cwd: '/',
    env: cleanEnvironment,
    detached: true, // in a process group of its own, so that Ctrl-C does not stop Postgres while we still need it
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  };
  return process.platform === 'win32'
    ? spawn(program, args, options)
    : spawn('/bin/sh', ['-c', watchdog, 'sh', program, ...args], options);
};

/** Never throws: a program that cannot be started has `ended`. */
export const startGuarded = (program: string, args: ReadonlyArray<string>, account: Account): GuardedProcess => {
  const child = start(program, args, account);
  const guardPipe = child.stdio[3];
  const triggerWatchdog = (): void => void guardPipe?.destroy();
  const ended = new Promise<string>((resolve) => {
    child.once('error', (cause) => resolve(cause.message));
    child.once('exit', (code, signal) => resolve(exitReason(code, signal)));
  });
  guardPipe?.on('error', () => undefined); // when the shell dies, 'exit' reports it
  void ended.then(triggerWatchdog);
  return {
    onLine: (listener) => {
      if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', listener);
    },
    ended,
    drained: new Promise((resolve) => void child.once('close', () => resolve())),
    triggerWatchdog,
  };
};
