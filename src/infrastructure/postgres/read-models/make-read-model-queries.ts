import { type either as E, option as O } from 'fp-ts';
import { attempt } from '../../../event-sourcing/attempt.js';
import { makePool } from '../../../postgres/pool.js';
import type { FilterValues, HiddenStates, Queries, ReadModelUnavailable } from '../../../read/queries.js';
import { copyJson } from './copy-json.js';
import { type Listed, type ReadModelConnections, unavailable } from './read-model.js';
import { makeQueries } from './read-model-queries.js';
import { makeRowById } from './row-by-id.js';

const TIMEOUT_MS = 2_000;
const SHORT_CONNECTIONS = 10;
/** Lists that may be streamed at once; a further one waits at most `TIMEOUT_MS`. */
const STREAMS = 8;

export type ReadModelQueries = {
  /** The queries of one read model, whatever its kind. */
  readonly of: (listed: Listed) => Queries<FilterValues> & HiddenStates;
  readonly ping: () => Promise<E.Either<ReadModelUnavailable, void>>;
  /** Waits for the queries under way. */
  readonly close: () => Promise<void>;
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
    connectMs: TIMEOUT_MS,
    queryMs: TIMEOUT_MS,
  });
  const streams = makePool({
    connectionString,
    name: 'read-model-lists',
    connections: STREAMS,
    connectMs: TIMEOUT_MS,
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
