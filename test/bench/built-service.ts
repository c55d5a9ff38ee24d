import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { JWT_SECRET } from '../support/service-process.js';

type BuiltService = {
  readonly pid: number;
  /** `http://host:port`. */
  readonly address: string;
  /** Resolves when the process has ended. */
  readonly stop: () => Promise<void>;
};

/** What `npm start` runs, without the name of the program. */
const startArguments = async (): Promise<ReadonlyArray<string>> => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } }; // reason: ours
  return scripts.start.split(' ').slice(1);
};

/**
 * Starts the built service in a process of its own, on a free port, as `npm start` does; resolves when it listens.
 * Nobody keeps its log.
 */
export const startBuiltService = async (
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<BuiltService> => {
  const { PATH = '' } = process.env;
  const env = { PATH, PORT: '0', DATA_DIR: dataDir, JWT_SECRET, ...settings };
  const child = spawn(process.execPath, await startArguments(), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const { msg, address } = JSON.parse(line) as { msg?: string; address?: string }; // reason: the log is JSON lines
    if (msg !== 'listening' || address === undefined || child.pid === undefined) continue;
    child.stdout.resume();
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    };
    return { pid: child.pid, address, stop };
  }
  throw new Error('the service did not start');
};
