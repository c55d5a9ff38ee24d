import { pause } from '../../../event-sourcing/pause.js';
import type { Cluster } from '../cluster.js';
import { programIn } from '../installation/installation.js';
import { readLockFile } from './lock-file.js';
import { isServerIn } from '../process-liveness.js';
import { runProgram } from '../run-program.js';

/** Fast: finish cleanly, dropping connections. Immediate: as a crash, to be recovered from at the next start. */
type Mode = 'fast' | 'immediate' | 'kill';

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

const patience: ReadonlyArray<readonly [Mode, number]> = [
  ['fast', 30_000],
  ['immediate', 10_000],
  ['kill', 5_000],
];

const controlLimit = 10_000; // ms for pg_ctl, which is told not to wait

/** Asks the server of a cluster to stop, if one runs, and does not wait for it. */
export const requestStop = async (cluster: Cluster, mode: Mode = 'fast'): Promise<void> => {
  const pid = (await readLockFile(cluster.data))?.pid;
  if (pid === undefined || !isServerIn(cluster.data, pid)) return;
  if (process.platform === 'win32' && mode !== 'kill') {
    const args = ['stop', '--pgdata', cluster.data, '--mode', mode, '--no-wait'];
    await runProgram(programIn(cluster.installation, 'pg_ctl'), args, cluster.account, controlLimit);
    return;
  }
  try {
    process.kill(pid, signals[mode]);
  } catch {
    // gone in the meantime
  }
};

/** Stops a server of ours; resolves when it has ended, after at most 45 s. */
export const stopServer = async (cluster: Cluster, ended: Promise<unknown>): Promise<void> => {
  const over = new AbortController();
  void ended.then(() => over.abort());
  for (const [mode, limit] of patience) {
    await requestStop(cluster, mode);
    if (!(await pause(limit, over.signal))) return;
  }
};
