import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, FromHostileProcess, Tally, ToHostileProcess } from './attack.js';

export type HostileClients = {
  readonly pid: number;
  /** Resolves when all connections have been opened, and those that reset have done so. */
  readonly begin: (attack: Attack) => Promise<void>;
  /** Ends the process, and with it every connection; what they had done until then, the first time. */
  readonly stop: () => Promise<Tally>;
};

const REPORT_LIMIT = 5_000; // ms
const NOTHING: Tally = { opened: 0, closed: 0, bytesSent: 0, bytesRead: 0, outcomes: {} };

/** Starts a process for hostile clients; none of them is connected yet. */
export const startHostileClients = async (): Promise<HostileClients> => {
  const child = fork(new URL('hostile-process.ts', import.meta.url), [], {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced', // JSON has no Infinity
  });
  const exited = once(child, 'exit');
  const received = <Tag extends FromHostileProcess['_tag']>(tag: Tag): Promise<FromHostileProcess & { _tag: Tag }> =>
    new Promise((resolve) => {
      child.on('message', (message: FromHostileProcess) => {
        // reason: its tag is the one that was asked for
        if (message._tag === tag) resolve(message as FromHostileProcess & { _tag: Tag });
      });
    });
  const send = (message: ToHostileProcess): void => void child.send(message);

  await received('Ready');
  if (child.pid === undefined) throw new Error('a process that sends has a pid');
  return {
    pid: child.pid,
    begin: async (attack) => {
      const opened = received('Opened');
      send({ _tag: 'Begin', attack });
      await opened;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return NOTHING;
      const report = received('Report').then(({ tally }) => tally);
      send({ _tag: 'Report' });
      const tally = await Promise.race([report, delay(REPORT_LIMIT, NOTHING)]);
      child.kill('SIGKILL');
      await exited;
      return tally;
    },
  };
};
