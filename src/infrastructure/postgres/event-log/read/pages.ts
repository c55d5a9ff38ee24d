import type pg from 'pg';
import { SILENCE_MS } from '../../../../event-sourcing/answer-deadline.js';
import { type Direction, StoreUnavailable, type StreamRange } from '../../../../event-sourcing/event-store.js';
import type {
  ExpectedRevision,
  Position,
  Revision,
  StoredEvent,
  StreamName,
} from '../../../../event-sourcing/recorded-event.js';
import { type EventBytes, StreamPage } from '../../../../event-sourcing/stream-page.js';
import { bigintArray, textArray } from '../../../../postgres/binary-array.js';
import { makeCoalescedRows } from '../../../../postgres/coalesced-rows.js';
import type { Rows } from '../../../../postgres/rows.js';
import { readRows, run, type Statement, type TextRow, withConnection } from '../../../../postgres/statement.js';
import { withTimeout } from '../../../with-timeout.js';

/** A page ends after so many events, or with the event that makes it larger than so many bytes. */
type PageLimits = { readonly events: number; readonly bytes: number };

/** Small, because a slow reader may hold a page of a stream for long. */
const STREAM_LIMITS: PageLimits = { events: 500, bytes: 1024 * 1024 };
const LOG_LIMITS: PageLimits = { events: 500, bytes: 4 * 1024 * 1024 };

type PageOfStream = { readonly page: StreamPage; readonly isLast: boolean };

/** Reads of the log, each of them one short statement on a pooled connection. */
export type Pages = {
  /** Given up at `until`, of `performance.now`, or after `SILENCE_MS`. */
  readonly stream: (stream: StreamName, range: Required<StreamRange>) => Promise<PageOfStream>;
  readonly newestRevision: (stream: StreamName) => Promise<ExpectedRevision>;
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
  /**
   * Position of the newest event of a category that has at most `limit` streams, whatever the size of the log; undefined
   * when it has more.
   */
  readonly newestOfFew: (
    category: string,
    limit: number,
  ) => Promise<{ readonly newest: Position | undefined } | undefined>;
  readonly identity: () => Promise<string>;
};

const SIZE = 'octet_length(data) + octet_length(metadata)';

/**
 * What bounds the bytes of a page. Postgres can add up the bytes of a page only by keeping all of it, which takes as long
 * again as reading it. So a page is first read by a statement that leaves out the texts of each event that is larger
 * than its share of a page, and, where that meets the first such event, by one that adds up.
 */
const share = ({ events, bytes }: PageLimits): number => Math.floor(bytes / events);

type Query = Pick<Statement, 'name' | 'text'>;
type TextColumns = { readonly data: number; readonly metadata: number };
type PageQueries = {
  /** Without the texts (null) of events that are larger than their share. */
  readonly small: Query;
  /** Ends the page with the event that makes it larger than the limit. */
  readonly large: Query;
  readonly columns: TextColumns;
  readonly limits: PageLimits;
};

/** Pages of so few events of different streams are read together. */
const SHORT_LIMITS: PageLimits = { events: 64, bytes: 1024 * 1024 };

/** Short pages that one statement reads. */
const SHORT_AT_ONCE = 32;

/**
 * Short pages of several streams. Without the texts of events that are larger than their share; the last column says
 * which of the pages an event belongs to. Each page is in order: only a loop over the pages can join them so.
 */
const shortPages = (direction: Direction): Query => {
  const [order, bound] = direction === 'forwards' ? ['asc', '>='] : ['desc', '<='];
  const isSmall = `${SIZE} <= ${share(SHORT_LIMITS)}`;
  return {
    name: `event_log.short_${direction}`,
    text: `
      select revision, position, id, type, case when ${isSmall} then data end, case when ${isSmall} then metadata end,
        ordinal
      from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as given (name, bound, most, ordinal),
        lateral (
          select * from event_log.event
          where stream = given.name and revision ${bound} given.bound order by revision ${order} limit given.most
        ) as found`,
  };
};

/** Columns of a page of a stream. */
const OF_STREAM = { revision: 0, position: 1, id: 2, type: 3, data: 4, metadata: 5 } as const;
const ORDINAL = 6;
/** Columns of a page of the log. */
const OF_LOG = { position: 0, stream: 1, revision: 2, id: 3, type: 4, data: 5, metadata: 6 } as const;

const streamQueries = (direction: 'forwards' | 'backwards'): PageQueries => {
  const [order, bound] = direction === 'forwards' ? ['asc', '>='] : ['desc', '<='];
  const wanted = `from event_log.event where stream = $1 and revision ${bound} $2 order by revision ${order} limit $3`;
  return {
    small: {
      name: `event_log.stream_${direction}`,
      text: `
        select revision, position, id, type,
          case when ${SIZE} <= ${share(STREAM_LIMITS)} then data end,
          case when ${SIZE} <= ${share(STREAM_LIMITS)} then metadata end
        ${wanted}`,
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

// events of other categories are read too, so that the page knows how far it came, but without their texts
const slice = `
  select *, coalesce(split_part(stream, '-', 1) = any($4::text[]), true) as wanted from event_log.event
  where position > $1 and position <= $2 order by position limit $3`;

const queries = {
  forwards: streamQueries('forwards'),
  backwards: streamQueries('backwards'),
  short: { forwards: shortPages('forwards'), backwards: shortPages('backwards') },
  newestRevision: {
    name: 'event_log.newest_revision',
    text: `
      select name, (select revision from event_log.event where stream = name order by revision desc limit 1)
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

// the largest bigint of Postgres, above every revision
const LAST = 2n ** 63n - 1n;

export const firstOf = ({ direction, from }: StreamRange): Revision => from ?? (direction === 'forwards' ? 0n : LAST);

const bigintAt = (rows: Rows, row: number, column: number): bigint => BigInt(rows.ascii(row, column));

/** An event in a page, of which nothing is taken before it is asked for. */
class EventInPage implements EventBytes {
  readonly stream: StreamName;
  readonly #rows: Rows;
  readonly #row: number;

  constructor(rows: Rows, row: number, stream: StreamName) {
    this.#rows = rows;
    this.#row = row;
    this.stream = stream;
  }

  get id(): string {
    return this.#rows.ascii(this.#row, OF_STREAM.id);
  }

  get type(): string {
    return this.#rows.text(this.#row, OF_STREAM.type);
  }

  get revision(): Revision {
    return bigintAt(this.#rows, this.#row, OF_STREAM.revision);
  }

  get position(): Position {
    return bigintAt(this.#rows, this.#row, OF_STREAM.position);
  }

  get data(): Buffer {
    return this.#rows.value(this.#row, OF_STREAM.data);
  }

  get metadata(): Buffer {
    return this.#rows.value(this.#row, OF_STREAM.metadata);
  }
}

/** Undefined for an event that is not wanted. */
const storedEventAt = (rows: Rows, row: number): StoredEvent | undefined =>
  rows.isNull(row, OF_LOG.stream)
    ? undefined
    : {
        id: rows.ascii(row, OF_LOG.id),
        type: rows.text(row, OF_LOG.type),
        data: rows.text(row, OF_LOG.data),
        metadata: rows.text(row, OF_LOG.metadata),
        stream: rows.text(row, OF_LOG.stream) as StreamName, // reason: the log takes no other names
        revision: bigintAt(rows, row, OF_LOG.revision),
        position: bigintAt(rows, row, OF_LOG.position),
      };

const arrayOf = (categories: ReadonlyArray<string> | undefined): Buffer | null =>
  categories === undefined ? null : textArray(categories);

const bytesIn = (rows: Rows, { data, metadata }: TextColumns): number => {
  let bytes = 0;
  for (let row = 0; row < rows.count; row += 1)
    bytes += rows.end(row, data) - rows.start(row, data) + rows.end(row, metadata) - rows.start(row, metadata);
  return bytes;
};

/** The short pages in the rows of a statement, by what was asked for; without those that lack the texts of an event. */
const shortPagesIn = (
  rows: Rows,
  asked: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
): ReadonlyMap<string, StreamPage> => {
  const events: ReadonlyArray<Array<EventBytes>> = asked.map(() => []);
  const incomplete = new Set<number>();
  for (let row = 0; row < rows.count; row += 1) {
    const index = Number(rows.ascii(row, ORDINAL)) - 1;
    if (rows.isNull(row, OF_STREAM.data)) incomplete.add(index);
    // reason: the names were given as names of streams
    events[index]?.push(new EventInPage(rows, row, names[index] as StreamName));
  }
  const pages = new Map<string, StreamPage>();
  for (const [index, wanted] of asked.entries()) {
    const found = events[index] ?? [];
    if (!incomplete.has(index)) pages.set(wanted, new StreamPage(found));
  }
  return pages;
};

/** The first `count` rows are a page; `isCut`: it ended before the events that were asked for. */
type Read = { readonly rows: Rows; readonly count: number; readonly isCut: boolean };

/** Throws `StoreUnavailable`, whatever went wrong. */
export const makePages = (pool: pg.Pool): Pages => {
  const ask = async <A>(work: (client: pg.ClientBase) => Promise<A>): Promise<A> => {
    try {
      return await withConnection(pool, work);
    } catch (cause) {
      throw new StoreUnavailable('the event log did not answer a read', cause);
    }
  };

  const askOne = (query: Query, values: Statement['values'] = [], timeoutMs?: number): Promise<TextRow | undefined> =>
    ask(async (client) => (await run(client, { ...query, values }, timeoutMs))[0]);

  const readPage = async (
    { small, large, columns, limits }: PageQueries,
    values: Statement['values'],
    timeoutMs?: number,
  ): Promise<Read> => {
    const rows = await ask((client) => readRows(client, { ...small, values }, timeoutMs));
    let count = 0;
    while (count < rows.count && !rows.isNull(count, columns.data)) count += 1;
    if (count > 0 || rows.count === 0) return { rows, count, isCut: count < rows.count };
    const whole = await ask((client) => readRows(client, { ...large, values }, timeoutMs));
    return { rows: whole, count: whole.count, isCut: bytesIn(whole, columns) >= limits.bytes };
  };

  /** A short page by `limit from name`; undefined when it lacks the texts of an event. */
  const makeReadShort = (direction: Direction): ((wanted: string) => Promise<StreamPage | undefined>) =>
    makeCoalescedRows(async (all) => {
      const asked = all.map((wanted) => wanted.split(' ', 2));
      const names = all.map((wanted, index) => wanted.slice((asked[index] ?? []).join(' ').length + 1));
      const bounds = asked.map(([, from = '0']) => BigInt(from));
      const values = [textArray(names), bigintArray(bounds), bigintArray(asked.map(([limit = '0']) => BigInt(limit)))];
      const rows = await ask((client) => readRows(client, { ...queries.short[direction], values }, SILENCE_MS));
      return shortPagesIn(rows, all, names);
    }, SHORT_AT_ONCE);

  const newestRevisions = makeCoalescedRows(async (names) => {
    const statement = { ...queries.newestRevision, values: [textArray(names)] };
    const rows = await ask((client) => run(client, statement, SILENCE_MS));
    return new Map(
      rows.flatMap(([name, newest]) =>
        typeof name === 'string' && typeof newest === 'string' ? [[name, BigInt(newest)]] : [],
      ),
    );
  });

  const readShort = { forwards: makeReadShort('forwards'), backwards: makeReadShort('backwards') };

  const readOne = async (
    name: StreamName,
    { direction, from, limit }: Required<StreamRange>,
    timeoutMs: number,
  ): Promise<PageOfStream> => {
    if (limit <= SHORT_LIMITS.events) {
      const page = await readShort[direction](`${limit} ${from} ${name}`);
      if (page !== undefined) return { page, isLast: page.length < limit };
    }
    const wanted = Math.min(limit, STREAM_LIMITS.events);
    const values = [name, from.toString(), String(wanted)];
    const { rows, count, isCut } = await readPage(queries[direction], values, timeoutMs);
    const events: Array<EventBytes> = [];
    for (let row = 0; row < count; row += 1) events.push(new EventInPage(rows, row, name));
    return { page: new StreamPage(events), isLast: count < wanted && !isCut };
  };

  const stream: Pages['stream'] = async (name, range) => {
    const { until } = range;
    const left = Math.max(1, Math.min(SILENCE_MS, until - performance.now()));
    const reading = readOne(name, range, left);
    // the driver's limit begins only when there is a connection
    const read = until === Infinity ? await reading : await withTimeout(left, reading);
    if (read === undefined) throw new StoreUnavailable('the event log did not answer a read in time');
    return read;
  };

  const log: Pages['log'] = async (after, upTo, categories) => {
    const { rows, count, isCut } = await readPage(queries.log, [
      after.toString(),
      upTo.toString(),
      String(LOG_LIMITS.events),
      arrayOf(categories),
    ]);
    const events: Array<StoredEvent> = [];
    for (let row = 0; row < count; row += 1) {
      const event = storedEventAt(rows, row);
      if (event !== undefined) events.push(event);
    }
    const isLast = count < LOG_LIMITS.events && !isCut;
    return { events, seen: isLast ? upTo : bigintAt(rows, count - 1, OF_LOG.position) };
  };

  const number = ([value]: TextRow = []): bigint | undefined =>
    value === undefined || value === null ? undefined : BigInt(value);

  return {
    stream,
    log,
    newestRevision: async (name) => (await newestRevisions(name)) ?? 'no-stream',
    head: async () => number(await askOne(queries.head)) ?? 0n,
    newest: async (after, upTo, categories) =>
      number(await askOne(queries.newest, [after.toString(), upTo.toString(), arrayOf(categories)])),
    newestOfFew: async (category, limit) => {
      const [count, newest] = (await askOne(queries.newestOfFew, [category, String(limit)])) ?? [];
      if (Number(count ?? 0) > limit) return undefined;
      return { newest: newest === null || newest === undefined ? undefined : BigInt(newest) };
    },
    identity: async () => (await askOne(queries.identity))?.[0] ?? '',
  };
};
