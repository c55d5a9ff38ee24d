import { either as E, option as O } from 'fp-ts';
import type { Pool } from 'pg';
import type { Ledger } from '../../../../projections/ledger.js';
import type { Projection } from '../../../../projections/projection.js';
import type { FindTrustedRow } from '../../../../projections/snapshot.js';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { planByIndex, planByValues } from '../../../postgres/index-plans.js';
import { makeJoinedReads } from '../../../postgres/joined-reads.js';
import { makePool } from '../../../postgres/pool.js';
import type { LedgerQueries } from '../../../read/ledger.js';
import type {
  FilterValues,
  HiddenRow,
  HiddenStates,
  Page,
  Queries,
  ReadModelUnavailable,
  SearchTooSlow,
  UnknownCursor,
  View,
} from '../../../read/queries.js';
import type { SealedTree } from '../../../read/sealed-tree.js';
import type { LedgerExtent } from '../../../sealing/watch-unsigned.js';
import { findLastBackup } from '../backup-record.js';
import { makeFindLiftedGuards } from '../guards.js';
import { makeFindLedgerExtent } from '../seal/ledger-extent.js';
import { makeSealedTree } from '../seal/sealed-tree-queries.js';
import { copyJson } from './copy-json.js';
import { makeCount } from './counts.js';
import { makeEstimates } from './estimates.js';
import { makeLedgerQueries } from './ledger-queries.js';
import { answeredBy, makeAll, makePage, pageDeadline, unknownCursor } from './lists.js';
import { type Listed, type ListPlan, type ReadModelConnections, unavailable, unlessParked } from './read-model.js';
import { makeLargeBody, makeRowById } from './row-by-id.js';
import { type FindRowRevision, makeFindRowRevision } from './row-revisions.js';
import { makeSearch } from './searches.js';
import { makeFindTrustedRow } from './trusted-rows.js';
import type { Clock } from '../../../event-sourcing/clock.js';

const SHORT_CONNECTIONS = 10;
const SEARCH_CONNECTIONS = 4;
const COUNT_CONNECTIONS = 2;
/** Feeds take two of them at most, so that one is left for the auditors' searches. */
const LEDGER_CONNECTIONS = 3;
/** Lists of each plan that may be streamed at once; a further one of that plan waits at most `SILENCE_MS`. */
const STREAMS = 8;

export type ReadModelQueries = {
  /** The queries of one read model, whatever its kind. */
  readonly of: (listed: Listed) => Queries<FilterValues> & HiddenStates;
  readonly findTrustedRow: (projection: Projection) => FindTrustedRow;
  readonly ofLedger: (ledger: Ledger) => LedgerQueries;
  readonly sealedTree: (ledger: Pick<Ledger, 'name'>) => SealedTree;
  readonly ledgerExtent: (ledger: Pick<Ledger, 'name'>) => () => Promise<LedgerExtent>;
  /** Of events and checkpoints, where they are in this database. Rejects when that cannot be read. */
  readonly liftedGuards: () => Promise<ReadonlyArray<string>>;
  readonly findRevision: (projection: Pick<Projection, 'name'>) => FindRowRevision;
  /** When a log was last backed up, in seconds since 1970. Rejects when that cannot be read. */
  readonly lastBackup: (log: string) => Promise<number | undefined>;
  /** Whether the database answers, and whether it takes writes or only reads. */
  readonly ping: () => Promise<E.Either<ReadModelUnavailable, 'Writes' | 'ReadsOnly'>>;
  /** Waits for the queries under way. */
  readonly close: () => Promise<void>;
};

const orUnknownCursor = <A extends object>(found: E.Either<ReadModelUnavailable, A | undefined>) =>
  E.flatMap(found, E.fromNullable(unknownCursor));

/** The queries that every read model answers, over the view of its live rows. */
const makeQueries = (connections: ReadModelConnections, listed: Listed): Queries<FilterValues> => {
  const bodyById = makeRowById(connections, listed.name, 'body');
  const largeBody = makeLargeBody(connections, listed.name);
  const estimates = makeEstimates(connections, listed);
  const page = makePage(connections, listed, estimates);
  const joined = makeJoinedReads<E.Either<SearchTooSlow | UnknownCursor, Page>>();
  const all = makeAll(connections, listed, estimates);
  const count = makeCount(connections, listed);

  const readLarge = (id: string) => () => attempt(async () => O.fromNullable(await largeBody(id)), unavailable);

  return {
    byId: async (id, asNoted) => {
      try {
        const row = await bodyById(id, asNoted);
        if (row === undefined) return E.right(O.none);
        const { revision, value, isLarge, isParked } = row;
        const body = isLarge ? { read: readLarge(id) } : value;
        return unlessParked<View>(isParked, body === null ? O.none : O.some({ id, revision, body }));
      } catch (cause) {
        return E.left(unavailable(cause));
      }
    },
    page: async (filter, request) => {
      const key = JSON.stringify([filter, request]);
      // from here on, because a page waits for the same one that is under way
      const deadline = pageDeadline(connections.clock);
      const reading = joined(key, () => page(filter, request, deadline));
      return E.flattenW(await attempt(() => answeredBy(connections.clock, deadline, reading), unavailable));
    },
    all: async (filter, request) => orUnknownCursor(await attempt(() => all(filter, request), unavailable)),
    count: async (filter, by) => E.flattenW(await attempt(() => count(filter, by), unavailable)),
  };
};

const makeHiddenStates = (connections: ReadModelConnections, { name }: Listed): HiddenStates => {
  const rowById = makeRowById(connections, name, 'kept');
  return {
    hiddenState: async (id, asNoted) => {
      const found = await attempt(() => rowById(id, asNoted), unavailable);
      if (E.isLeft(found)) return found;
      const row = found.right;
      if (row === undefined) return E.right(O.none);
      const { value, revision, isParked } = row;
      const hidden = value === null ? O.none : O.some({ hidden: value.toString(), revision });
      return unlessParked<HiddenRow>(isParked, hidden);
    },
  };
};

const ping = async (pool: Pool): Promise<'Writes' | 'ReadsOnly'> => {
  const client = await pool.connect();
  let readsOnly = true;
  try {
    const text = `select current_setting('transaction_read_only')::boolean as on`;
    readsOnly = (await client.query<{ on: boolean }>(text)).rows[0]?.on !== false;
  } finally {
    // a connection keeps what its role or database was set to when it was opened
    client.release(readsOnly);
  }
  return readsOnly ? 'ReadsOnly' : 'Writes';
};

/** The read models in Postgres. Connects with the first query; fails within seconds while the database is away. */
export const makeReadModelQueries = (
  clock: Clock,
  { connectionString }: { readonly connectionString: string },
): ReadModelQueries => {
  const answering = { connectionString, connectMs: SILENCE_MS, queryMs: SILENCE_MS };
  const short = makePool({
    ...answering,
    name: 'read-model',
    connections: SHORT_CONNECTIONS,
    prepare: planByIndex,
  });
  const searches = makePool({
    ...answering,
    name: 'read-model-searches',
    connections: SEARCH_CONNECTIONS,
    prepare: planByValues,
  });
  const counts = makePool({
    ...answering,
    name: 'read-model-counts',
    connections: COUNT_CONNECTIONS,
    prepare: planByValues,
  });
  const ledgers = makePool({
    ...answering,
    name: 'read-model-ledger',
    connections: LEDGER_CONNECTIONS,
    statementMs: SILENCE_MS,
    prepare: planByValues,
  });
  const streaming = { connectionString, connections: STREAMS, connectMs: SILENCE_MS };
  const streams: Readonly<Record<ListPlan, Pool>> = {
    ByIndex: makePool({ ...streaming, name: 'read-model-lists', prepare: planByIndex }),
    ByValues: makePool({ ...streaming, name: 'read-model-searched-lists', prepare: planByValues }),
  };
  const connections: ReadModelConnections = {
    clock,
    short,
    search: makeSearch(clock, searches),
    count: makeSearch(clock, counts),
    copyList: async (select, plan, limits) => {
      const end = clock.monotonic() + SILENCE_MS;
      const client = await streams[plan].connect();
      return copyJson(clock, client, select, { beginMs: Math.max(1, end - clock.monotonic()), ...limits });
    },
  };
  return {
    of: (listed) => ({ ...makeQueries(connections, listed), ...makeHiddenStates(connections, listed) }),
    findTrustedRow: (projection) => makeFindTrustedRow(connections, projection),
    ofLedger: (ledger) => makeLedgerQueries(ledgers, ledger),
    sealedTree: ({ name }) => makeSealedTree(short, name),
    ledgerExtent: ({ name }) => makeFindLedgerExtent(short, name),
    liftedGuards: makeFindLiftedGuards(short),
    findRevision: (projection) => makeFindRowRevision(connections, projection),
    lastBackup: (log) => findLastBackup(short, log),
    ping: () => attempt(() => ping(short), unavailable),
    close: async () => {
      const all = [short, searches, counts, ledgers, streams.ByIndex, streams.ByValues];
      await Promise.all(all.map((pool) => pool.end()));
    },
  };
};
