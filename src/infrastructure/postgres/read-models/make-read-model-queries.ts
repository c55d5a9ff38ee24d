import { either as E, option as O } from 'fp-ts';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { makePool } from '../../../postgres/pool.js';
import type {
  FilterValues,
  HiddenStates,
  Queries,
  ReadModelUnavailable,
  UnknownCursor,
  View,
} from '../../../read/queries.js';
import { copyJson } from './copy-json.js';
import { makeAll, makePage } from './lists.js';
import { type Listed, type ReadModelConnections, unavailable } from './read-model.js';
import { makeLargeBody, makeRowById } from './row-by-id.js';

const SHORT_CONNECTIONS = 10;
/** Lists that may be streamed at once; a further one waits at most `SILENCE_MS`. */
const STREAMS = 8;

export type ReadModelQueries = {
  /** The queries of one read model, whatever its kind. */
  readonly of: (listed: Listed) => Queries<FilterValues> & HiddenStates;
  readonly ping: () => Promise<E.Either<ReadModelUnavailable, void>>;
  /** Waits for the queries under way. */
  readonly close: () => Promise<void>;
};

const unknownCursor: UnknownCursor = { _tag: 'UnknownCursor' };

const orUnknownCursor = <A extends object>(found: E.Either<ReadModelUnavailable, A | undefined>) =>
  E.flatMap(found, E.fromNullable(unknownCursor));

/** The queries that every read model answers, over the view of its live rows. */
const makeQueries = (connections: ReadModelConnections, listed: Listed): Queries<FilterValues> => {
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

const makeHiddenStates = ({ short }: ReadModelConnections, { name }: Listed): HiddenStates => {
  const rowById = makeRowById(short, name, 'kept');
  return {
    hiddenState: (id) =>
      attempt(async () => {
        const row = await rowById(id);
        return row === undefined || row.column === null
          ? O.none
          : O.some({ hidden: row.column, revision: row.revision });
      }, unavailable),
  };
};

/** The read models in Postgres. Connects with the first query; fails within seconds while the database is away. */
export const makeReadModelQueries = ({ connectionString }: { readonly connectionString: string }): ReadModelQueries => {
  const short = makePool({
    connectionString,
    name: 'read-model',
    connections: SHORT_CONNECTIONS,
    connectMs: SILENCE_MS,
    queryMs: SILENCE_MS,
  });
  const streams = makePool({
    connectionString,
    name: 'read-model-lists',
    connections: STREAMS,
    connectMs: SILENCE_MS,
  });
  const connections: ReadModelConnections = {
    short,
    copyList: async (select, limits) => copyJson(await streams.connect(), select, limits),
  };
  return {
    of: (listed) => ({ ...makeQueries(connections, listed), ...makeHiddenStates(connections, listed) }),
    ping: () =>
      attempt(async () => {
        await short.query('select 1');
      }, unavailable),
    close: async () => {
      await Promise.all([short.end(), streams.end()]);
    },
  };
};
