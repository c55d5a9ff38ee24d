import { either as E } from 'fp-ts';
import type { Cluster } from '../cluster.js';
import { withClient } from '../connection.js';
import { cannotStart, type CannotStart, codeOf } from '../embedded-postgres-error.js';
import { type LockFile, readLockFile, removeStaleLock } from './lock-file.js';
import { isServerIn, lives, type Owner, parseOwner, processExists } from '../process-liveness.js';

/** Who runs in a data directory now. */
export type Occupant =
  | { readonly _tag: 'Nobody' }
  | { readonly _tag: 'Changing'; readonly pid: number; readonly doing: 'starting' | 'stopping' }
  | {
      readonly _tag: 'Serving';
      readonly pid: number;
      readonly port: number;
      /** None: somebody started it without this launcher. */
      readonly owner: Owner | undefined;
      readonly ownerLives: boolean;
    };

/** The setting a server carries its owner in. */
export const ownerSetting = 'launcher.owner';

const passwordRefused = '28P01';

const askOwner = async (cluster: Cluster, { pid, port }: LockFile): Promise<E.Either<CannotStart, Occupant>> => {
  try {
    const answer = await withClient({ port, password: cluster.password }, 'postgres', (client) =>
      client.query<{ owner: string | null }>('SELECT current_setting($1, true) AS owner', [ownerSetting]),
    );
    const owner = parseOwner(answer.rows[0]?.owner ?? '');
    return E.right({ _tag: 'Serving', pid, port, owner, ownerLives: owner !== undefined && lives(owner) });
  } catch (cause) {
    if (codeOf(cause) === passwordRefused)
      return E.left(
        cannotStart(`a server (pid ${pid}) runs in ${cluster.data} and refuses the password kept beside it`),
      );
    return E.right({ _tag: 'Changing', pid, doing: 'starting' }); // ready a moment ago, and on its way up or down
  }
};

/** Looks who is there, and clears away a lock that only looks like somebody. */
export const findOccupant = async (cluster: Cluster): Promise<E.Either<CannotStart, Occupant>> => {
  const lock = await readLockFile(cluster.data);
  if (lock === undefined) return E.right({ _tag: 'Nobody' });
  if (!isServerIn(cluster.data, lock.pid)) {
    // the lock of a process that is gone is Postgres's own to clear: it checks for remains in shared memory
    if (processExists(lock.pid)) await removeStaleLock(cluster.data, lock);
    return E.right({ _tag: 'Nobody' });
  }
  return lock.status === 'ready'
    ? askOwner(cluster, lock)
    : E.right({ _tag: 'Changing', pid: lock.pid, doing: lock.status });
};
