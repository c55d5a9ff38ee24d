import { execFile, type ExecFileException } from 'node:child_process';
import type { Account } from './account.js';

/**
 * The whole environment of Postgres's programs: an inherited LC_ALL, TZ or PG* would change what they do. Node adds the
 * variables that Windows requires.
 */
export const cleanEnvironment: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** `reason`: how it ended, or why it could not be started. `lines`: what it printed. */
type Ran = { readonly ok: boolean; readonly reason: string; readonly lines: ReadonlyArray<string> };

const endOf = ({ code, signal, message }: ExecFileException): string => {
  if (typeof signal === 'string') return `killed by ${signal}`;
  return typeof code === 'number' ? `exit code ${code}` : message;
};

/** Runs a program until it ends, or kills it after `timeoutMs`. Never rejects: a program that is missing is not `ok`. */
export const runProgram = (
  program: string,
  args: ReadonlyArray<string>,
  account: Account,
  timeoutMs: number,
): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { ...account, cwd: '/', env: cleanEnvironment, timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.trimEnd().split('\n');
      resolve({ ok: error === null, reason: error === null ? 'exit code 0' : endOf(error), lines });
    });
  });
