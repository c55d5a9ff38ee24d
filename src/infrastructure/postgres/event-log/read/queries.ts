import type { Direction } from '../../../../event-sourcing/event-store.js';
import type { Statement } from '../../../../postgres/statement.js';

/** A page ends after so many events, or with the event that makes it larger than so many bytes. */
type PageLimits = { readonly events: number; readonly bytes: number };

/** Small, because a slow reader may hold a page of a stream for long. */
export const STREAM_LIMITS: PageLimits = { events: 500, bytes: 1024 * 1024 };
export const LOG_LIMITS: PageLimits = { events: 500, bytes: 4 * 1024 * 1024 };

export type Query = Pick<Statement, 'name' | 'text'>;

export type TextColumns = { readonly data: number; readonly metadata: number };

export type PageQueries = {
  /** Without the texts (null) of events that are larger than their share. */
  readonly small: Query;
  /** Ends the page with the event that makes it larger than the limit. */
  readonly large: Query;
  readonly columns: TextColumns;
  readonly limits: PageLimits;
};

/** Columns of a page of a stream. */
export const OF_STREAM = { revision: 0, position: 1, id: 2, type: 3, data: 4, metadata: 5 } as const;
/** Beside them, of the first pages of several streams: which of the pages an event belongs to, from 1 on. */
export const ORDINAL = 6;
/** Columns of a page of the log. */
export const OF_LOG = { position: 0, stream: 1, revision: 2, id: 3, type: 4, data: 5, metadata: 6 } as const;

/** Whoever reads the whole log begins behind position 0: what stands before that is no event of the log, in a stream neither. */
export const IN_LOG = 'position > 0';

const SIZE = 'octet_length(data) + octet_length(metadata)';

/**
 * What bounds the bytes of a page. Postgres can add up the bytes of a page only by keeping all of it, which takes as long
 * again as reading it. So a page is first read by a statement that leaves out the texts of each event that is larger
 * than its share of a page, and, where that meets the first such event, by one that adds up.
 */
const share = ({ events, bytes }: PageLimits): number => Math.floor(bytes / events);

const textsUpTo = (bytes: number): string =>
  ['data', 'metadata'].map((name) => `case when ${SIZE} <= ${bytes} then ${name} end`).join(', ');

const inOrder = (direction: Direction): readonly [order: string, bound: string] =>
  direction === 'forwards' ? ['asc', '>='] : ['desc', '<='];

const streamQueries = (direction: Direction): PageQueries => {
  const [order, bound] = inOrder(direction);
  const wanted = `from event_log.event where stream = $1 and ${IN_LOG} and revision ${bound} $2 order by revision ${order} limit $3`;
  return {
    small: {
      name: `event_log.stream_${direction}`,
      text: `select revision, position, id, type, ${textsUpTo(share(STREAM_LIMITS))} ${wanted}`,
    },
    large: {
      name: `event_log.stream_${direction}_large`,
      text: `
        select revision, position, id, type, data, metadata
        from (
          select *, sum(${SIZE}) over (order by revision ${order} rows unbounded preceding) - (${SIZE}) as bytes_before
          from (select * ${wanted}) as wanted
        ) as measured
        where bytes_before < ${STREAM_LIMITS.bytes}
        order by measured.revision ${order}`,
    },
    columns: OF_STREAM,
    limits: STREAM_LIMITS,
  };
};

/**
 * First pages of several streams, without the texts of events that are larger than `bytes`. Each page is in order: only
 * a loop over the pages can join them so.
 */
const firstPages = (direction: Direction, bytes: number): Query => {
  const [order, bound] = inOrder(direction);
  return {
    name: `event_log.first_${direction}`,
    text: `
      select revision, position, id, type, ${textsUpTo(bytes)}, ordinal
      from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as given (name, bound, most, ordinal),
        lateral (
          select * from event_log.event
          where stream = given.name and ${IN_LOG} and revision ${bound} given.bound order by revision ${order} limit given.most
        ) as found`,
  };
};

// events of other categories are read too, so that the page knows how far it came, but without their texts
const slice = `
  select *, coalesce(split_part(stream, '-', 1) = any($4::text[]), true) as wanted from event_log.event
  where position > $1 and position <= $2 order by position limit $3`;

/** The largest event of a first page, bytes. */
const LARGEST_OF_FIRST = 4096;

/** The SQL of every read of the log but the copies. */
export const queries = {
  forwards: streamQueries('forwards'),
  backwards: streamQueries('backwards'),
  first: {
    forwards: firstPages('forwards', LARGEST_OF_FIRST),
    backwards: firstPages('backwards', LARGEST_OF_FIRST),
  },
  newestRevision: {
    name: 'event_log.newest_revision',
    text: `
      select name, (select revision from event_log.event where stream = name and ${IN_LOG} order by revision desc limit 1)
      from unnest($1::text[]) as given (name)`,
  },
  log: {
    small: {
      name: 'event_log.log_page',
      text: `
        select position, case when wanted then stream end, revision, id, type,
          case when not wanted then '' when ${SIZE} <= ${share(LOG_LIMITS)} then data end,
          case when not wanted then '' when ${SIZE} <= ${share(LOG_LIMITS)} then metadata end
        from (${slice}) as slice
        order by slice.position`,
    },
    large: {
      name: 'event_log.log_page_large',
      text: `
        select position, case when wanted then stream end, revision, id, type,
          case when wanted then data else '' end, case when wanted then metadata else '' end
        from (
          select *, coalesce(sum(case when wanted then ${SIZE} end)
            over (order by position rows between unbounded preceding and 1 preceding), 0) as bytes_before
          from (${slice}) as slice
        ) as measured
        where bytes_before < ${LOG_LIMITS.bytes}
        order by measured.position`,
    },
    columns: OF_LOG,
    limits: LOG_LIMITS,
  },
  head: { name: 'event_log.head', text: 'select position from event_log.head' },
  newest: {
    name: 'event_log.newest',
    text: `
      select position from event_log.event
      where position > $1 and position <= $2 and coalesce(split_part(stream, '-', 1) = any($3::text[]), true)
      order by position desc limit 1`,
  },
  // steps from stream to stream by the index, past all their events; '.' is the character after '-'
  newestOfFew: {
    name: 'event_log.newest_of_few',
    text: `
      with recursive walk as (
        (
          select stream from event_log.event where stream >= $1::text || '-' and stream < $1::text || '.'
          order by stream limit 1
        )
        union all
        select (
          select next.stream from event_log.event next
          where next.stream > walk.stream and next.stream < $1::text || '.' order by next.stream limit 1
        )
        from walk where walk.stream is not null
      ), few as (
        select stream from walk where stream is not null limit $2::integer + 1
      )
      select count(*), max((
        select position from event_log.event where event.stream = few.stream order by revision desc limit 1
      )) from few`,
  },
  identity: { name: 'event_log.identity', text: 'select identity from event_log.log' },
} as const;
