import pg from 'pg';
import { startDouble } from '../support/eventstoredb-double/double.js';
import { LIFT_GUARD, PUT_GUARD_BACK } from '../support/tamper.js';
import type { HistoryEvent } from './history.js';

/** Where a log is, for somebody who can write into its database. */
export type Place = {
  readonly settings: Readonly<Record<string, string>>;
  /** `url` is the Postgres of the service; the log is in there, or elsewhere. */
  readonly read: (url: string) => Promise<ReadonlyArray<HistoryEvent>>;
  /** Replaces the whole log. */
  readonly write: (url: string, history: ReadonlyArray<HistoryEvent>) => Promise<void>;
  /** Ways in which who can write into the database hides a stream from its readers, and leaves its events in the log. */
  readonly hide?: Readonly<Record<(typeof HIDING)[number], (stream: string) => void>>;
  readonly close: () => void;
};

/** Those of EventStoreDB. */
export const HIDING = ['softDelete', 'tombstone'] as const;

/** Statements on a database, one after the other. */
export const runSql = async (url: string, ...statements: ReadonlyArray<string>): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let last: pg.QueryResult | undefined;
    for (const statement of statements) last = await client.query(statement);
    return last!;
  } finally {
    await client.end();
  }
};

const INSERT = `insert into event_log.event (position, stream, revision, id, type, data, metadata)
  select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::uuid[], $5::text[], $6::text[], $7::text[])`;

const inPostgres = (): Promise<Place> =>
  Promise.resolve({
    settings: {},
    read: async (url) => {
      const { rows } = await runSql(
        url,
        'select stream, revision, id, type, data, metadata from event_log.event order by position',
      );
      // reason: the columns are those
      const events = rows as ReadonlyArray<Omit<HistoryEvent, 'revision'> & { readonly revision: string }>;
      return events.map((event) => ({ ...event, revision: BigInt(event.revision) }));
    },
    write: async (url, history) => {
      await runSql(
        url,
        LIFT_GUARD,
        'truncate event_log.event',
        `update event_log.head set position = ${history.length}`,
      );
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(INSERT, [
        history.map((_, index) => String(index + 1)),
        history.map(({ stream }) => stream),
        history.map(({ revision }) => revision.toString()),
        ...(['id', 'type', 'data', 'metadata'] as const).map((name) => history.map((event) => event[name])),
      ]);
      await client.query(PUT_GUARD_BACK);
      await client.end();
    },
    close: () => undefined,
  });

const inEventStoreDb = async (): Promise<Place> => {
  const double = await startDouble();
  /** Of the service: the log has others, of the server and of the adapter. */
  const isOurs = ({ stream }: { readonly stream: string }): boolean => /^(business|document|operations)-/.test(stream);
  return {
    settings: { EVENTSTOREDB_URL: double.connectionString },
    read: () =>
      Promise.resolve(
        double.log.records
          .filter(isOurs)
          // reason: they are named so
          .map(({ position: _position, ...event }) => event as HistoryEvent),
      ),
    write: (_, history) => {
      const others = double.log.records.slice(1).filter((record) => !isOurs(record));
      double.log.restore(1);
      for (const { stream, id, type, data, metadata } of [...others, ...history])
        double.log.append(stream, 'any', [{ id, type, data, metadata }]);
      return Promise.resolve();
    },
    hide: double.log,
    close: double.close,
  };
};

export const places = { Postgres: inPostgres, EventStoreDB: inEventStoreDb } as const;
