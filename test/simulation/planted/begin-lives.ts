import { fork } from 'node:child_process';
import path from 'node:path';
import type { Lived, OneLife } from '../seeds/one-life.js';

/** How long a life may take, ms, which else takes a second, and some more over Postgres. */
const LONGEST_MS = 120_000;

/** A process that lives one life after the other. */
export type Lives = {
  /** Promises that were not kept. The process may have ended by them. */
  readonly live: (life: OneLife) => Promise<ReadonlyArray<string>>;
  readonly isOver: () => boolean;
  readonly end: () => void;
};

const ERROR = /^\w*Error\b.*$/mu;

/** Begins a process that lives by the program in a folder, as it is now. `server`: a Postgres, for lives over one. */
export const beginLives = (folder: string, server: string | undefined): Lives => {
  const worker = path.join(folder, 'test/simulation/seeds/worker.ts');
  const child = fork(worker, server === undefined ? [] : [server], {
    cwd: folder,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  let isOver = false;
  child.once('exit', () => (isOver = true));
  return {
    live: (life) =>
      new Promise((resolve) => {
        const settle = (broken: ReadonlyArray<string>): void => {
          clearTimeout(timer);
          child.off('message', take).off('close', close);
          resolve(broken);
        };
        // reason: that is what the process tells
        const take = (lived: unknown): void => settle((lived as Lived).broken);
        const close = (): void => settle([`the process has ended: ${ERROR.exec(said)?.[0] ?? said}`]);
        // pauses: a life that does not end tells nothing
        const timer = setTimeout(() => {
          child.off('close', close).kill('SIGKILL');
          settle([`a call never ended: the life was not over after ${LONGEST_MS / 1_000} s`]);
        }, LONGEST_MS);
        child.on('message', take).on('close', close);
        if (isOver) close();
        else child.send(life);
      }),
    isOver: () => isOver || child.killed,
    end: () => void child.kill('SIGKILL'),
  };
};
