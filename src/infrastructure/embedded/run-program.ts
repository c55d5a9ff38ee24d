import { spawn } from 'node:child_process';
import type { Account } from './account.js';

/**
 * The whole environment of Postgres's programs: an inherited LC_ALL, TZ or PG* would change what they do. Node adds the
 * variables that Windows requires.
 */
export const cleanEnvironment: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** `reason`: how it ended, or why it could not be started. `lines`: what it printed. */
type Ran = { readonly ok: boolean; readonly reason: string; readonly lines: ReadonlyArray<string> };

const exitReason = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `exit code ${code ?? '?'}` : `killed by ${signal}`;

/** Runs a program until it ends, or kills it after `timeoutMs`. Never rejects: a program that is missing is not `ok`. */
export const runProgram = async (
  program: string,
  args: ReadonlyArray<string>,
  account: Account,
  timeoutMs: number,
): Promise<Ran> =>
  new Promise((resolve) => {
    const output: Array<string> = [];
    const collect = (chunk: Buffer): void => void output.push(chunk.toString());
    const lines = (): ReadonlyArray<string> => output.join('').trimEnd().split('\n');
    const child = spawn(program, args, {
      ...account,
      cwd: '/',
      env: cleanEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (cause) => resolve({ ok: false, reason: cause.message, lines: lines() }));
    child.once('close', (code, signal) =>
      resolve({ ok: code === 0, reason: exitReason(code, signal), lines: lines() }),
    );
  });
