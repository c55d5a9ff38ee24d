import { fork } from 'node:child_process';
import path from 'node:path';

/** How long the life of one seed may take, ms, which else takes a second. */
const LONGEST_MS = 120_000;

/** A process that lives one seed after the other. */
export type Lives = {
  /** Promises of a seed that were not kept. The process may have ended by them. */
  readonly live: (seed: number) => Promise<ReadonlyArray<string>>;
  readonly isOver: () => boolean;
  readonly end: () => void;
};

const ERROR = /^\w*Error\b.*$/mu;

/** Begins a process that lives seeds by the program in a folder, as it is now. */
export const beginLives = (folder: string): Lives => {
  const child = fork(path.join(folder, 'test/simulation/planted/live-seeds.ts'), [], {
    cwd: folder,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  let isOver = false;
  child.once('exit', () => (isOver = true));
  return {
    live: (seed) =>
      new Promise((resolve) => {
        const settle = (broken: ReadonlyArray<string>): void => {
          clearTimeout(timer);
          child.off('message', take).off('close', close);
          resolve(broken);
        };
        // reason: that is what the process tells
        const take = (broken: unknown): void => settle(broken as ReadonlyArray<string>);
        const close = (): void => settle([`the process has ended: ${ERROR.exec(said)?.[0] ?? said}`]);
        // pauses: a life that does not end tells nothing
        const timer = setTimeout(() => {
          child.off('close', close).kill('SIGKILL');
          settle([`a call never ended: the life was not over after ${LONGEST_MS / 1_000} s`]);
        }, LONGEST_MS);
        child.on('message', take).on('close', close);
        if (isOver) close();
        else child.send(seed);
      }),
    isOver: () => isOver || child.killed,
    end: () => void child.kill('SIGKILL'),
  };
};
