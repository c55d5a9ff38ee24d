import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** How a run of verify.py ended, and what it printed. */
export type Verified = { readonly code: number; readonly out: string; readonly error: string };

/** How a run ends that finds a fault. */
export const refusal = (sentence: string): Verified => ({ code: 1, out: '', error: `NOT VERIFIED: ${sentence}\n` });

/** Runs verifiers/verify.py as a person would. */
export const runVerifyPy = (args: ReadonlyArray<string>, input = ''): Promise<Verified> =>
  new Promise((resolve) => {
    const python = execFile('python3', ['verifiers/verify.py', ...args], (_error, out, error) => {
      resolve({ code: python.exitCode ?? -1, out, error });
    });
    python.stdin?.end(input);
  });

/** Writes files below a folder. */
export const layFiles = async (
  directory: string,
  files: Iterable<readonly [name: string, content: string | Uint8Array]>,
): Promise<void> => {
  for (const [name, content] of files) {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
};

/** A process that runs it once for each call, and a folder for what is verified. */
export type VerifyPy = {
  readonly run: (...args: ReadonlyArray<string>) => Promise<Verified>;
  /** Writes a file, or one below a folder, and gives its path. */
  readonly file: (name: string, content: string | Uint8Array) => Promise<string>;
  /** The path of a file or folder of this name. */
  readonly path: (name: string) => string;
  readonly stop: () => Promise<void>;
};

export const startVerifyPy = async (): Promise<VerifyPy> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'verify-'));
  const python = spawn('python3', ['test/verifiers/driver.py'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers: AsyncIterator<string, undefined> = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  return {
    run: async (...args) => {
      python.stdin.write(`${JSON.stringify(args)}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error('verify.py ended with an exception, which is printed above');
      return JSON.parse(value) as Verified; // reason: the driver writes it
    },
    file: async (name, content) => {
      await layFiles(directory, [[name, content]]);
      return path.join(directory, name);
    },
    path: (name) => path.join(directory, name),
    stop: async () => {
      python.stdin.end();
      if (python.exitCode === null) await once(python, 'exit');
      await rm(directory, { recursive: true });
    },
  };
};
