import { spawn } from 'node:child_process';
import { JWT_SECRET } from '../support/service-process.js';
import { residentMib } from './processes.js';

type Ran = {
  /** What it printed. */
  readonly output: string;
  /** From its start to its end. */
  readonly seconds: number;
  /** The most memory that it took. */
  readonly peakMib: number;
};

const peakOf = (pid: number | undefined): number => {
  try {
    const peak = pid === undefined ? 0 : residentMib(pid, 'VmHWM');
    return Number.isNaN(peak) ? 0 : peak; // it is ending
  } catch {
    return 0; // it has ended
  }
};

/** Runs the built operator's program with the options of Node in its first line; rejects with what it printed when it fails. */
export const runOps = async (
  dataDir: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Ran> => {
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, JWT_SECRET, ...settings };
  const began = performance.now();
  const child = spawn('dist/src/cli/ops.js', args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, peakMib] = ['', 0];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const watch = setInterval(() => (peakMib = Math.max(peakMib, peakOf(child.pid))), 50);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`ops ${args.join(' ')} failed: ${output}`);
  return { output, seconds: (performance.now() - began) / 1_000, peakMib };
};
