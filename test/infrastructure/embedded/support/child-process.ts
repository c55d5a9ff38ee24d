import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Heard, makeHeard } from '../../../support/news.js';
import { stopLeftovers } from './launching.js';

type Said = Readonly<Record<string, unknown>>;

export type Child = {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly said: ReadonlyArray<Said>;
  readonly until: Heard<Said>['until'];
  /** The first value it gives to a key. */
  readonly saying: (key: string) => Promise<unknown>;
  /** Resolves when it has ended and everything that it said has been read. */
  readonly ended: Promise<unknown>;
};

const children = new Set<ChildProcess>();

/** Ends what a failed test has left running, in this process and in others. */
export const endLeftovers = async (): Promise<void> => {
  for (const each of children) each.kill('SIGKILL');
  children.clear();
  await stopLeftovers();
};

/** Starts `child.ts` in a process of its own, at the head of its own process group. */
export const startChild = (
  args: ReadonlyArray<string>,
  over: SpawnOptions = {},
  node: ReadonlyArray<string> = [process.execPath],
): Child => {
  const program = path.join(import.meta.dirname, 'child.ts');
  const [command = '', ...before] = node;
  const child = spawn(command, [...before, '--import', 'tsx', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    ...over,
  });
  children.add(child);
  const { all: said, hear, until } = makeHeard<Said>();
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      hear(JSON.parse(line) as Said); // reason: child.ts writes nothing but objects
    });
  const ended = once(child, 'close');
  return {
    process: child,
    pid: child.pid ?? 0,
    said,
    until,
    saying: async (key) => {
      await Promise.race([until((all) => all.some((each) => key in each)), ended]);
      const value = said.find((each) => key in each)?.[key];
      if (value === undefined) throw new Error(`the child process has ended and not said "${key}"`);
      return value;
    },
    ended,
  };
};
