import type { Clock } from '../event-sourcing/clock.js';

/** Rows by key; what has no row is left out. */
type FetchRows<Wanted, Row> = (wanted: ReadonlyArray<Wanted>) => Promise<ReadonlyMap<string, Row>>;

const MAX_IN_FLIGHT = 2;
/** Default of how many rows one query asks for. */
const MAX_AT_ONCE = 100;

/** Settles `row`, for all who asked for it. */
type Waiting<Wanted, Row> = {
  readonly wanted: Wanted;
  readonly row: Promise<Row | undefined>;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (cause: unknown) => void;
};

const makeWaiting = <Wanted, Row>(wanted: Wanted): Waiting<Wanted, Row> => {
  let resolve: Waiting<Wanted, Row>['resolve'] = () => undefined;
  let reject: Waiting<Wanted, Row>['reject'] = () => undefined;
  const row = new Promise<Row | undefined>((given, failed) => {
    resolve = given;
    reject = failed;
  });
  return { wanted, row, resolve, reject };
};

/**
 * Reads single rows together: one query for all that are asked for in one turn of the event loop, or while two batches
 * are under way. Wanted rows of the same key are the same row. A request never joins a batch that was already sent, so
 * that it does not read an older row. When a batch fails, those that wait fail with it.
 */
export const makeCoalescedReads = <Wanted, Row>(
  clock: Pick<Clock, 'soon'>,
  keyOf: (wanted: Wanted) => string,
  fetch: FetchRows<Wanted, Row>,
  mostAtOnce = MAX_AT_ONCE,
): ((wanted: Wanted) => Promise<Row | undefined>) => {
  let waiting = new Map<string, Waiting<Wanted, Row>>();
  let inFlight = 0;
  let isScheduled = false;

  const takeBatch = (): ReadonlyMap<string, Waiting<Wanted, Row>> => {
    if (waiting.size <= mostAtOnce) {
      const batch = waiting;
      waiting = new Map();
      return batch;
    }
    const all = [...waiting];
    waiting = new Map(all.slice(mostAtOnce));
    return new Map(all.slice(0, mostAtOnce));
  };

  const send = async (batch: ReadonlyMap<string, Waiting<Wanted, Row>>): Promise<void> => {
    inFlight += 1;
    try {
      const rows = await fetch([...batch.values()].map(({ wanted }) => wanted));
      for (const [key, { resolve }] of batch) resolve(rows.get(key));
    } catch (cause) {
      for (const { reject } of batch.values()) reject(cause);
      // when the database does not answer, those that wait would only wait as long again
      for (const { reject } of waiting.values()) reject(cause);
      waiting = new Map();
    }
    inFlight -= 1;
    flush();
  };

  const flush = (): void => {
    isScheduled = false;
    while (inFlight < MAX_IN_FLIGHT && waiting.size > 0) void send(takeBatch());
  };

  return (wanted) => {
    const key = keyOf(wanted);
    const joined = waiting.get(key);
    if (joined !== undefined) return joined.row;
    const own = makeWaiting<Wanted, Row>(wanted);
    waiting.set(key, own);
    if (!isScheduled && inFlight < MAX_IN_FLIGHT) {
      isScheduled = true;
      clock.soon(flush);
    }
    return own.row;
  };
};

/** Reads single rows together, by their ids. */
export const makeCoalescedRows = <Row>(
  clock: Pick<Clock, 'soon'>,
  fetch: FetchRows<string, Row>,
  mostAtOnce = MAX_AT_ONCE,
): ((id: string) => Promise<Row | undefined>) => makeCoalescedReads(clock, (id: string) => id, fetch, mostAtOnce);
