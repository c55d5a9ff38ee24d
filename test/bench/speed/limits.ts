import { fork } from 'node:child_process';
import { once } from 'node:events';

export type LimitsMessage = { readonly port: number };

type Limits = { readonly pid: number; readonly port: number; readonly stop: () => void };

/** Starts what the service is compared with, on an empty database and beside the service's own. */
export const startLimits = async (database: string, serviceDatabase: string): Promise<Limits> => {
  const child = fork(new URL('limits-process.ts', import.meta.url), [database, serviceDatabase]);
  const [{ port }] = (await once(child, 'message')) as [LimitsMessage]; // reason: it sends nothing else
  if (child.pid === undefined) throw new Error('a process that sends has a pid');
  return { pid: child.pid, port, stop: () => void child.kill() };
};
