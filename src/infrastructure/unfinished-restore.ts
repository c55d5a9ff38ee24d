import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../event-sourcing/event-store.js';
import type { LogTarget } from '../event-sourcing/whole-log/log-target.js';

/** Why such a log is not used, and how to go on. */
export const UNFINISHED =
  'a restore, a copy or an import into this log has begun and not ended: repeat the same `ops restore` or `ops log copy` until it ends with 0. `ops log import` does not go on: repeat it into an empty log';

/**
 * A log that refuses to be written, named and followed until it is known that no restore is under way. It is asked once
 * more by each such call until then: a log that is away when a process starts may come back half restored.
 */
export const onceRestored = <Log extends LogTarget>(log: Log): Log => {
  let isRestored = false;
  const after = async <A, F>(work: () => Promise<E.Either<F, A>>): Promise<E.Either<F | StoreUnavailable, A>> => {
    const marked = isRestored ? E.right(false) : await log.isBeingRestored();
    if (E.isLeft(marked)) return marked;
    if (marked.right) return E.left(new StoreUnavailable(UNFINISHED));
    isRestored = true;
    return work();
  };
  return {
    ...log,
    append: (...append) => after(() => log.append(...append)),
    head: (categories) => after(() => log.head(categories)),
    identity: () => after(() => log.identity()),
  };
};
