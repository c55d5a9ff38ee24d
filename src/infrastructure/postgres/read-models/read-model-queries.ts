import { either as E, option as O } from 'fp-ts';
import type { FilterValues, Queries, ReadModelUnavailable, UnknownCursor, View } from '../../../read/queries.js';
import { makeAll, makePage } from './lists.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { type Listed, type ReadModelConnections, unavailable } from './read-model.js';
import { makeLargeBody, makeRowById } from './row-by-id.js';

const unknownCursor: UnknownCursor = { _tag: 'UnknownCursor' };

const orUnknownCursor = <A extends object>(
  found: E.Either<ReadModelUnavailable, A | undefined>,
): E.Either<ReadModelUnavailable | UnknownCursor, A> =>
  E.chainW((value: A | undefined) => (value === undefined ? E.left(unknownCursor) : E.right(value)))(found);

/** The queries that every read model answers, over the view of its live rows. */
export const makeQueries = (connections: ReadModelConnections, listed: Listed): Queries<FilterValues> => {
  const bodyById = makeRowById(connections.short, listed.name, 'body');
  const largeBody = makeLargeBody(connections, listed.name);
  const page = makePage(connections, listed);
  const all = makeAll(connections, listed);

  const readLarge = (id: string) => () => attempt(async () => O.fromNullable(await largeBody(id)), unavailable);

  return {
    byId: (id) =>
      attempt(async (): Promise<O.Option<View>> => {
        const row = await bodyById(id);
        if (row === undefined) return O.none;
        const { revision, column, isLarge } = row;
        if (isLarge) return O.some({ id, revision, body: { read: readLarge(id) } });
        return column === null ? O.none : O.some({ id, revision, body: column });
      }, unavailable),
    page: async (filter, request) => orUnknownCursor(await attempt(() => page(filter, request), unavailable)),
    all: async (filter, after) => orUnknownCursor(await attempt(() => all(filter, after), unavailable)),
  };
};
