import { either as E } from 'fp-ts';
import type { ProjectionRefused } from '../../projections/engine/instance/projection-refused.js';
import type { Projections } from '../../projections/engine/live/start-projections.js';
import { type EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import type { Queries, ReadModelUnavailable } from '../read/queries.js';

/** Why the read models are not of the log that is connected; undefined while nothing is known against them. */
type Refusal = () => ProjectionRefused | undefined;

export const refusalOf =
  ({ status }: Pick<Projections, 'status'>): Refusal =>
  () => {
    const { businesses, documents } = status();
    return businesses.refused ?? documents.refused;
  };

const unavailable = (refused: ProjectionRefused): StoreUnavailable => new StoreUnavailable(refused.reason, refused);

/**
 * A log that takes nothing while the read models are not of it: what were appended to the wrong log would be lost to
 * the right one, and could bring a log that was cut off to where the rows are, as if it had never been. Reads go on.
 */
export const writeWhileOwnLog = (store: EventStore, refusal: Refusal): EventStore => ({
  ...store,
  append: (...append) => {
    const refused = refusal();
    return refused === undefined ? store.append(...append) : Promise.resolve(E.left(unavailable(refused)));
  },
});

/** A log that tells nothing of its streams meanwhile, for those who would remove what it does not name. */
export const readWhileOwnLog = (store: EventStore, refusal: Refusal): EventStore => ({
  ...store,
  readStream: async function* (stream, range) {
    const refused = refusal();
    if (refused !== undefined) throw unavailable(refused);
    yield* store.readStream(stream, range);
  },
});

/** Queries that fail meanwhile, as they do while the rows are away: a GET by id is then answered from the log. */
export const answerWhileOwnLog = (
  { businesses, documents }: Pick<ReadModelQueries, 'businesses' | 'documents'>,
  refusal: Refusal,
): Pick<ReadModelQueries, 'businesses' | 'documents'> => {
  const guarded =
    <Args extends ReadonlyArray<unknown>, Failure, A>(ask: (...args: Args) => Promise<E.Either<Failure, A>>) =>
    (...args: Args): Promise<E.Either<Failure | ReadModelUnavailable, A>> => {
      const cause = refusal();
      return cause === undefined ? ask(...args) : Promise.resolve(E.left({ _tag: 'ReadModelUnavailable', cause }));
    };
  const all = <Filter>({ byId, page, all: list }: Queries<Filter>): Queries<Filter> => ({
    byId: guarded(byId),
    page: guarded(page),
    all: guarded(list),
  });
  return { businesses: all(businesses), documents: { ...all(documents), fileOf: guarded(documents.fileOf) } };
};
