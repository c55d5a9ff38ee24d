import type pg from 'pg';
import { SILENCE_MS } from '../../../../event-sourcing/answer-deadline.js';
import { StoreUnavailable, type StreamRange } from '../../../../event-sourcing/event-store.js';
import type { Position, Revision, StoredEvent, StreamName } from '../../../../event-sourcing/recorded-event.js';
import { withTimeout } from '../../../with-timeout.js';

/** A page ends after so many events, or with the event that makes it larger than so many bytes. */
type PageLimits = { readonly events: number; readonly bytes: number };

/** Small, because a slow reader may hold a page of a stream for long. */
const STREAM_LIMITS: PageLimits = { events: 500, bytes: 1024 * 1024 };
const LOG_LIMITS: PageLimits = { events: 500, bytes: 4 * 1024 * 1024 };

/** Reads of the log, each of them one short statement on a pooled connection. */
export type Pages = {
  /** Given up at `until`, of `performance.now`, or after `SILENCE_MS`. */
  readonly stream: (
    stream: StreamName,
    range: Required<StreamRange>,
  ) => Promise<{ readonly events: ReadonlyArray<StoredEvent>; readonly isLast: boolean }>;
  /** Events after `after`, at most up to `upTo`, which must not be beyond the head; the page ends at `seen`. */
  readonly log: (
    after: Position,
    upTo: Position,
    categories: ReadonlyArray<string> | undefined,
  ) => Promise<{ readonly events: ReadonlyArray<StoredEvent>; readonly seen: Position }>;
  /** Position of the last committed event: later reads see everything up to it. */
  readonly head: () => Promise<Position>;
  readonly newest: (
    after: Position,
    upTo: Position,
    categories: ReadonlyArray<string> | undefined,
  ) => Promise<Position | undefined>;
  readonly identity: () => Promise<string>;
};

const streamPage = (order: 'asc' | 'desc', bound: '>=' | '<=') => `
  select revision::text, position::text, id::text, type, data, metadata, found
  from (
    select *, count(*) over ()::integer as found,
      sum(octet_length(data) + octet_length(metadata))
        over (order by revision ${order} rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select * from event_log.event
      where stream = $1 and revision ${bound} $2 order by revision ${order} limit $3
    ) as wanted
  ) as measured
  where coalesce(bytes_before, 0) < $4
  order by measured.revision ${order}`;

const statements = {
  forwards: { name: 'event_log.stream_forwards', text: streamPage('asc', '>=') },
  backwards: { name: 'event_log.stream_backwards', text: streamPage('desc', '<=') },
  // events of other categories are read too, so that the page knows how far it came, but without their texts
  log: {
    name: 'event_log.log_page',
    text: `
      select position::text, case when wanted then stream end, revision::text, id::text, type,
        case when wanted then data end, case when wanted then metadata end, found
      from (
        select *, count(*) over ()::integer as found,
          sum(case when wanted then octet_length(data) + octet_length(metadata) else 0 end)
            over (order by position rows between unbounded preceding and 1 preceding) as bytes_before
        from (
          select *, coalesce(split_part(stream, '-', 1) = any($4::text[]), true) as wanted from event_log.event
          where position > $1 and position <= $2 order by position limit $3
        ) as slice
      ) as measured
      where coalesce(bytes_before, 0) < $5
      order by measured.position`,
  },
  head: { name: 'event_log.head', text: 'select position::text from event_log.head' },
  newest: {
    name: 'event_log.newest',
    text: `
      select position::text from event_log.event
      where position > $1 and position <= $2 and coalesce(split_part(stream, '-', 1) = any($3::text[]), true)
      order by event.position desc limit 1`,
  },
  identity: { name: 'event_log.identity', text: 'select identity::text from event_log.log' },
} as const;

type StreamRow = [
  revision: string,
  position: string,
  id: string,
  type: string,
  data: string,
  metadata: string,
  found: number,
];
type LogRow = [
  position: string,
  stream: StreamName | null,
  revision: string,
  id: string,
  type: string,
  data: string | null,
  metadata: string | null,
  found: number,
];

// the largest bigint of Postgres, above every revision
const LAST = 2n ** 63n - 1n;

export const firstOf = ({ direction, from }: StreamRange): Revision => from ?? (direction === 'forwards' ? 0n : LAST);

/** Throws `StoreUnavailable`, whatever went wrong. */
export const makePages = (pool: pg.Pool): Pages => {
  const ask = async <Row extends Array<unknown>>(
    statement: { readonly name: string; readonly text: string },
    values: Array<unknown> = [],
    limit: { readonly query_timeout?: number } = {},
  ): Promise<ReadonlyArray<Row>> => {
    try {
      return (await pool.query<Row>({ ...statement, ...limit, values, rowMode: 'array' })).rows;
    } catch (cause) {
      throw new StoreUnavailable('the event log did not answer a read', cause);
    }
  };

  const stream: Pages['stream'] = async (name, { direction, from, limit, until }) => {
    const count = Math.min(limit, STREAM_LIMITS.events);
    const values = [name, from.toString(), count, STREAM_LIMITS.bytes];
    const left = Math.max(1, Math.min(SILENCE_MS, until - performance.now()));
    const asking = ask<StreamRow>(statements[direction], values, { query_timeout: left });
    // the driver's limit begins only when there is a connection
    const rows = until === Infinity ? await asking : await withTimeout(left, asking);
    if (rows === undefined) throw new StoreUnavailable('the event log did not answer a read in time');
    const events = rows.map(([revision, position, id, type, data, metadata]) => ({
      id,
      type,
      data,
      metadata,
      stream: name,
      revision: BigInt(revision),
      position: BigInt(position),
    }));
    const found = rows[0]?.[6] ?? 0;
    return { events, isLast: found < count && rows.length === found };
  };

  const log: Pages['log'] = async (after, upTo, categories) => {
    const values = [after.toString(), upTo.toString(), LOG_LIMITS.events, categories, LOG_LIMITS.bytes];
    const rows = await ask<LogRow>(statements.log, values);
    const events = rows.flatMap(([position, ofStream, revision, id, type, data, metadata]) =>
      ofStream === null || data === null || metadata === null
        ? []
        : [{ id, type, data, metadata, stream: ofStream, revision: BigInt(revision), position: BigInt(position) }],
    );
    const [last] = rows.at(-1) ?? [upTo];
    const isLast = rows.length < LOG_LIMITS.events && rows.length === (rows[0]?.[7] ?? 0);
    return { events, seen: isLast ? upTo : BigInt(last) };
  };

  const position = (rows: ReadonlyArray<[string]>): Position | undefined => rows[0] && BigInt(rows[0][0]);

  return {
    stream,
    log,
    head: async () => position(await ask<[string]>(statements.head)) ?? 0n,
    newest: async (after, upTo, categories) =>
      position(await ask<[string]>(statements.newest, [after.toString(), upTo.toString(), categories])),
    identity: async () => (await ask<[string]>(statements.identity))[0]?.[0] ?? '',
  };
};
