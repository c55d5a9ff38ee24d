/** Rows by id; ids without a row are left out. */
type FetchRows<Row> = (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Row>>;

const MAX_IN_FLIGHT = 2;
/** Default of what one query asks for. */
const MAX_IDS = 100;

/** Settles `row`, for all who asked for it. */
type Waiting<Row> = {
  readonly row: Promise<Row | undefined>;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (cause: unknown) => void;
};

const makeWaiting = <Row>(): Waiting<Row> => {
  let resolve: Waiting<Row>['resolve'] = () => undefined;
  let reject: Waiting<Row>['reject'] = () => undefined;
  const row = new Promise<Row | undefined>((given, failed) => {
    resolve = given;
    reject = failed;
  });
  return { row, resolve, reject };
};

/**
 * Reads single rows together: one query for all that are asked for in one turn of the event loop, or while two batches
 * are under way. A request never joins a batch that was already sent, so that it does not read an older row. When a
 * batch fails, those that wait fail with it.
 */
export const makeCoalescedRows = <Row>(
  fetch: FetchRows<Row>,
  mostAtOnce = MAX_IDS,
): ((id: string) => Promise<Row | undefined>) => {
  let waiting = new Map<string, Waiting<Row>>();
  let inFlight = 0;
  let isScheduled = false;

  const takeBatch = (): ReadonlyMap<string, Waiting<Row>> => {
    if (waiting.size <= mostAtOnce) {
      const batch = waiting;
      waiting = new Map();
      return batch;
    }
    const all = [...waiting];
    waiting = new Map(all.slice(mostAtOnce));
    return new Map(all.slice(0, mostAtOnce));
  };

  const send = async (batch: ReadonlyMap<string, Waiting<Row>>): Promise<void> => {
    inFlight += 1;
    try {
      const rows = await fetch([...batch.keys()]);
      for (const [id, { resolve }] of batch) resolve(rows.get(id));
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

  return (id) => {
    const joined = waiting.get(id);
    if (joined !== undefined) return joined.row;
    const own = makeWaiting<Row>();
    waiting.set(id, own);
    if (!isScheduled && inFlight < MAX_IN_FLIGHT) {
      isScheduled = true;
      setImmediate(flush);
    }
    return own.row;
  };
};
