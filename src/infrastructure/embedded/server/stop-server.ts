import type { Cluster } from '../cluster.js';
import { programIn } from '../installation/installation.js';
import { isServerIn } from '../../process-liveness.js';
import { runProgram } from '../run-program.js';
import { readLockFile } from './lock-file.js';
import type { Clock } from '../../../event-sourcing/clock.js';

/** Shutdown modes of Postgres. Fast drops connections and ends cleanly; after immediate, the next start recovers. */
type Mode = 'fast' | 'immediate' | 'kill';

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** Each mode gets so many ms before the next one is used. */
const escalation: ReadonlyArray<readonly [Mode, number]> = [
  ['fast', 30_000],
  ['immediate', 10_000],
  ['kill', 5_000],
];

const pgCtlTimeoutMs = 10_000; // pg_ctl itself does not wait for the shutdown

/** Asks the server of a cluster, if one runs, to stop. Does not wait until it has. */
export const requestStop = async (cluster: Cluster, mode: Mode = 'fast'): Promise<void> => {
  const pid = (await readLockFile(cluster.data))?.pid;
  if (pid === undefined || !isServerIn(cluster.data, pid)) return;
  if (process.platform === 'win32' && mode !== 'kill') {
    const args = ['stop', '--pgdata', cluster.data, '--mode', mode, '--no-wait'];
    await runProgram(programIn(cluster.installation, 'pg_ctl'), args, cluster.account, pgCtlTimeoutMs);
    return;
  }
  try {
    process.kill(pid, signals[mode]);
  } catch {
    // it has ended meanwhile
  }
};

/** Stops a server of ours. Resolves when it has ended, after at most 45 s. */
export const stopServer = async (clock: Clock, cluster: Cluster, ended: Promise<unknown>): Promise<void> => {
  const hasEnded = new AbortController();
  void ended.then(() => hasEnded.abort());
  for (const [mode, timeoutMs] of escalation) {
    await requestStop(cluster, mode);
    if (!(await clock.sleep(timeoutMs, hasEnded.signal))) return;
  }
};
