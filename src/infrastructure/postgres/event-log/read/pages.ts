import type pg from 'pg';
import { SILENCE_MS } from '../../../../event-sourcing/answer-deadline.js';
import { StoreUnavailable, type StreamRange } from '../../../../event-sourcing/event-store.js';
import type {
  ExpectedRevision,
  Position,
  Revision,
  StoredEvent,
  StreamName,
} from '../../../../event-sourcing/recorded-event.js';
import { type EventBytes, StreamPage } from '../../../../event-sourcing/stream-page.js';
import { textArray } from '../../../../postgres/binary-array.js';
import { makeCoalescedRows } from '../../../../postgres/coalesced-rows.js';
import type { Rows } from '../../../../postgres/rows.js';
import { readRows, run, type Statement, type TextRow, withConnection } from '../../../../postgres/statement.js';
import { withTimeout } from '../../../../event-sourcing/with-timeout.js';
import { bigintAt, bytesAt, EventRow, storedEventAt } from './event-rows.js';
import { makeReadFirstPage } from './first-pages.js';
import { LOG_LIMITS, OF_LOG, type PageQueries, queries, type Query, STREAM_LIMITS } from './queries.js';
import type { Clock } from '../../../../event-sourcing/clock.js';

type PageRange = Required<Omit<StreamRange, 'asksForKeys'>>;

/** Reads of the log, each of them one short statement on a pooled connection. */
export type Pages = {
  /** Given up at `until`, of `Clock.monotonic`, or after `SILENCE_MS`; when `until` is over, not asked for. */
  readonly stream: (stream: StreamName, range: PageRange) => Promise<StreamPage>;
  readonly newestRevision: (stream: StreamName, until?: number) => Promise<ExpectedRevision>;
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

// the largest bigint of Postgres, above every revision
const LAST = 2n ** 63n - 1n;

export const firstOf = ({ direction, from }: StreamRange): Revision => from ?? (direction === 'forwards' ? 0n : LAST);

const arrayOf = (categories: ReadonlyArray<string> | undefined): Buffer | null =>
  categories === undefined ? null : textArray(categories);

/** The first `count` rows are a page; `isCut`: it ended before the events that were asked for. */
type Read = { readonly rows: Rows; readonly count: number; readonly isCut: boolean };

const noTime = (): StoreUnavailable => new StoreUnavailable('the event log did not answer a read in time');

/** Throws `StoreUnavailable`, whatever went wrong. */
export const makePages = (clock: Clock, pool: pg.Pool): Pages => {
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
    let bytes = 0;
    for (let row = 0; row < whole.count; row += 1) bytes += bytesAt(whole, row, columns);
    return { rows: whole, count: whole.count, isCut: bytes >= limits.bytes };
  };

  const readFirstPage = makeReadFirstPage(clock, (statement) =>
    ask((client) => readRows(client, statement, SILENCE_MS)),
  );

  const newestRevisions = makeCoalescedRows(clock, async (names) => {
    const statement = { ...queries.newestRevision, values: [textArray(names)] };
    const rows = await ask((client) => run(client, statement, SILENCE_MS));
    return new Map(
      rows.flatMap(([name, newest]) =>
        typeof name === 'string' && typeof newest === 'string' ? [[name, BigInt(newest)]] : [],
      ),
    );
  });

  const readOne = async (
    name: StreamName,
    { direction, from, limit }: PageRange,
    timeoutMs: number,
  ): Promise<StreamPage> => {
    const wanted = Math.min(limit, STREAM_LIMITS.events);
    const values = [name, from.toString(), String(wanted)];
    const { rows, count, isCut } = await readPage(queries[direction], values, timeoutMs);
    const events: Array<EventBytes> = [];
    for (let row = 0; row < count; row += 1) events.push(new EventRow(rows, row, name));
    return new StreamPage(events, !isCut && (count < wanted || count === limit));
  };

  const inTime = async <A extends object>(until: number, read: (left: number) => Promise<A>): Promise<A> => {
    const left = Math.min(SILENCE_MS, until - clock.monotonic());
    if (left <= 0) throw noTime();
    // the driver's limit begins only when there is a connection
    const found = until === Infinity ? await read(left) : await withTimeout(clock, left, read(left));
    if (found === undefined) throw noTime();
    return found;
  };

  const stream: Pages['stream'] = async (name, range) => {
    const { until } = range;
    return inTime(until, (left) => (range.startsSmall ? readFirstPage(name, range) : readOne(name, range, left)));
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
    newestRevision: async (name, until = Infinity) => {
      const { newest } = await inTime(until, async () => ({ newest: await newestRevisions(name) }));
      return newest ?? 'no-stream';
    },
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
