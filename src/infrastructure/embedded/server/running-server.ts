import { either as E } from 'fp-ts';
import { errorCode } from '../../error-code.js';
import type { Cluster } from '../cluster.js';
import { withClient } from '../connection.js';
import { cannotStart, type CannotStart } from '../embedded-postgres-error.js';
import { isAlive, isServerIn, type Owner, parseOwner, processExists } from '../../process-liveness.js';
import { type LockFile, readLockFile, removeStaleLock } from './lock-file.js';
import type { Random } from '../../../event-sourcing/random.js';

/** The server that runs in a data directory now. */
export type RunningServer =
  | { readonly _tag: 'None' }
  | { readonly _tag: 'StartingOrStopping'; readonly pid: number; readonly status: 'starting' | 'stopping' }
  | {
      readonly _tag: 'Ready';
      readonly pid: number;
      readonly port: number;
      /** Undefined: the server was not started by this launcher. */
      readonly owner: Owner | undefined;
      readonly isOwnerAlive: boolean;
    };

/** The setting on a server's command line that names its owner. */
export const ownerSetting = 'launcher.owner';

const invalidPassword = '28P01';

const findOwner = async (cluster: Cluster, { pid, port }: LockFile): Promise<E.Either<CannotStart, RunningServer>> => {
  try {
    const { rows } = await withClient({ port, password: cluster.password }, 'postgres', (client) =>
      client.query<{ owner: string | null }>('SELECT current_setting($1, true) AS owner', [ownerSetting]),
    );
    const owner = parseOwner(rows[0]?.owner ?? '');
    return E.right({ _tag: 'Ready', pid, port, owner, isOwnerAlive: owner !== undefined && isAlive(owner) });
  } catch (cause) {
    if (errorCode(cause) === invalidPassword)
      return E.left(
        cannotStart(`a server (pid ${pid}) runs in ${cluster.data} and does not accept the password stored beside it`),
      );
    // its lock file said ready a moment ago: it has begun to stop, or to recover from a crash
    return E.right({ _tag: 'StartingOrStopping', pid, status: 'starting' });
  }
};

/** Finds the server of a cluster by Postgres's lock file. Removes a lock file whose pid now belongs to another process. */
export const findRunningServer = async (
  random: Random,
  cluster: Cluster,
): Promise<E.Either<CannotStart, RunningServer>> => {
  const lock = await readLockFile(cluster.data);
  if (lock === undefined) return E.right({ _tag: 'None' });
  if (!isServerIn(cluster.data, lock.pid)) {
    // when no process has the pid, Postgres removes the lock itself, after it has checked shared memory for remains
    if (processExists(lock.pid)) await removeStaleLock(random, cluster.data, lock);
    return E.right({ _tag: 'None' });
  }
  return lock.status === 'ready'
    ? findOwner(cluster, lock)
    : E.right({ _tag: 'StartingOrStopping', pid: lock.pid, status: lock.status });
};
