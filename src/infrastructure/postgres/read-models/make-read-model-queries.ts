import type { either as E } from 'fp-ts';
import { makePool } from '../../../../projections/engine/pool.js';
import type { BusinessQueries, DocumentQueries, ReadModelUnavailable } from '../../../read/queries.js';
import { makeBusinessQueries } from './business-queries.js';
import { makeDocumentQueries } from './document-queries.js';
import { copyJson } from './copy-json.js';
import { attempt, type ReadModelConnections } from './read-model.js';

const TIMEOUT_MS = 2_000;
const SHORT_CONNECTIONS = 10;
/** Lists that are under way at once; a further one waits at most `TIMEOUT_MS`. */
const STREAMS = 8;

export type ReadModelQueries = {
  readonly businesses: BusinessQueries;
  readonly documents: DocumentQueries;
  readonly ping: () => Promise<E.Either<ReadModelUnavailable, void>>;
  /** Waits for the queries under way. */
  readonly close: () => Promise<void>;
};

/** The read models in Postgres. Connects with the first query; fails within seconds while the database is away. */
export const makeReadModelQueries = ({ connectionString }: { readonly connectionString: string }): ReadModelQueries => {
  const short = makePool(connectionString, {
    name: 'read-model',
    connections: SHORT_CONNECTIONS,
    connectMs: TIMEOUT_MS,
    answerMs: TIMEOUT_MS,
  });
  const streams = makePool(connectionString, {
    name: 'read-model-lists',
    connections: STREAMS,
    connectMs: TIMEOUT_MS,
  });
  const connections: ReadModelConnections = {
    short,
    copyList: async (select, limits) => copyJson(await streams.connect(), select, limits),
  };
  return {
    businesses: makeBusinessQueries(connections),
    documents: makeDocumentQueries(connections),
    ping: () =>
      attempt(async () => {
        await short.query('select 1');
      }),
    close: async () => {
      await Promise.all([short.end(), streams.end()]);
    },
  };
};
