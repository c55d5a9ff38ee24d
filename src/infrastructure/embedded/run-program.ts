import { spawn } from 'node:child_process';
import type { Account } from './account.js';

/**
 * All that Postgres's programs see of the environment: an inherited LC_ALL, TZ or PG* would change what they do.
 * (Node adds what Windows cannot do without.)
 */
export const cleanEnvironment: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

type Ran = { readonly ok: boolean; readonly how: string; readonly lines: ReadonlyArray<string> };

const outcome = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `exit code ${code ?? '?'}` : `killed by ${signal}`;

/** Runs a program to its end, or kills it after `timeout` ms. Never rejects: a program that is not there is not `ok`. */
export const runProgram = async (
  program: string,
  args: ReadonlyArray<string>,
  account: Account,
  timeout: number,
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
      timeout,
      killSignal: 'SIGKILL',
    });
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (cause) => resolve({ ok: false, how: cause.message, lines: lines() }));
    child.once('close', (code, signal) => resolve({ ok: code === 0, how: outcome(code, signal), lines: lines() }));
  });
