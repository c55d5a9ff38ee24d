import { either as E } from 'fp-ts';
import type { WrongLog } from '../../projections/engine/engine-failure.js';
import type { Projections } from '../../projections/engine/run/start-projections.js';
import type { ShownRows } from '../event-sourcing/command/shown-rows.js';
import { type EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { FilterValues, HiddenStates, Queries, ReadModelUnavailable } from '../read/queries.js';

/** Why the read models are not of the connected log; undefined when they are, and before it is known. */
export type FindWrongLog = () => WrongLog | undefined;

export const wrongLogOf =
  ({ all }: Pick<Projections, 'all'>): FindWrongLog =>
  () => {
    for (const { wrongLog } of all) {
      const found = wrongLog();
      if (found !== undefined) return found;
    }
    return undefined;
  };

const unavailable = (wrongLog: WrongLog): StoreUnavailable => new StoreUnavailable(wrongLog.reason);

/**
 * A log that rejects appends while the read models are of another log: such events would be missing in the right log.
 * After a restore from a backup, they could also make the log as long as the rows again, and so hide that events are
 * missing. Reads go on.
 */
export const writeWhileSameLog = (store: EventStore, findWrongLog: FindWrongLog): EventStore => ({
  ...store,
  append: (...append) => {
    const wrongLog = findWrongLog();
    return wrongLog === undefined ? store.append(...append) : Promise.resolve(E.left(unavailable(wrongLog)));
  },
});

/** A log whose streams cannot be read meanwhile, for the sweep: it would remove files that only the right log names. */
export const readWhileSameLog = (store: EventStore, findWrongLog: FindWrongLog): EventStore => ({
  ...store,
  readStream: async function* (stream, range) {
    const wrongLog = findWrongLog();
    if (wrongLog !== undefined) throw unavailable(wrongLog);
    yield* store.readStream(stream, range);
  },
  newestRevision: (...asked) => {
    const wrongLog = findWrongLog();
    return wrongLog === undefined ? store.newestRevision(...asked) : Promise.resolve(E.left(unavailable(wrongLog)));
  },
});

/** Queries that fail meanwhile, as when their database is away: a GET by id is then answered from the log. */
export const queryWhileSameLog = (
  queries: Queries<FilterValues> & HiddenStates,
  findWrongLog: FindWrongLog,
): Queries<FilterValues> & HiddenStates => {
  const guarded =
    <Args extends ReadonlyArray<unknown>, Failure, A>(query: (...args: Args) => Promise<E.Either<Failure, A>>) =>
    (...args: Args): Promise<E.Either<Failure | ReadModelUnavailable, A>> => {
      const cause = findWrongLog();
      return cause === undefined
        ? query(...args)
        : Promise.resolve(E.left({ _tag: 'ReadModelUnavailable' as const, cause: unavailable(cause) }));
    };
  const { byId, page, all, count, hiddenState } = queries;
  return {
    byId: guarded(byId),
    page: guarded(page),
    all: guarded(all),
    count: guarded(count),
    hiddenState: guarded(hiddenState),
  };
};

/** Rows that are no evidence meanwhile: that they are not of this log is an alarm of its own. */
export const compareWhileSameLog = (rows: ShownRows, findWrongLog: FindWrongLog): ShownRows => ({
  ...rows,
  revisionOf: (stream) => (findWrongLog() === undefined ? rows.revisionOf(stream) : Promise.resolve(undefined)),
});
