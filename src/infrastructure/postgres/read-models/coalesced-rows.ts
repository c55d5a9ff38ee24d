/** Rows by id; ids without a row are left out. */
type FetchRows<Row> = (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Row>>;

const MAX_IN_FLIGHT = 2;
const MAX_IDS = 100;

/** `resolve` makes `row` what the promise given to it becomes. */
type Waiting<Row> = {
  readonly row: Promise<Row | undefined>;
  readonly resolve: (row: Promise<Row | undefined>) => void;
};

const makeWaiting = <Row>(): Waiting<Row> => {
  let resolve: Waiting<Row>['resolve'] = () => undefined;
  const row = new Promise<Row | undefined>((given) => (resolve = given));
  return { row, resolve };
};

/**
 * Reads single rows together: one query for all that are asked for in one turn of the event loop, or while two batches
 * are under way. A request never joins a batch that was already sent, so that it does not read an older row. When a
 * batch fails, those that wait fail with it.
 */
export const makeCoalescedRows = <Row>(fetch: FetchRows<Row>): ((id: string) => Promise<Row | undefined>) => {
  let waiting = new Map<string, Waiting<Row>>();
  let inFlight = 0;
  let isScheduled = false;

  /** Fails as `failed` does. */
  const failWaiting = (failed: Promise<ReadonlyMap<string, Row>>): void => {
    for (const [id, { resolve }] of waiting) resolve(failed.then((found) => found.get(id)));
    waiting = new Map();
  };

  const send = async (batch: ReadonlyMap<string, Waiting<Row>>): Promise<void> => {
    inFlight += 1;
    const rows = fetch([...batch.keys()]);
    for (const [id, { resolve }] of batch) resolve(rows.then((found) => found.get(id)));
    // when the database does not answer, those that wait would only wait as long again
    await rows.catch(() => failWaiting(rows));
    inFlight -= 1;
    flush();
  };

  const flush = (): void => {
    isScheduled = false;
    while (inFlight < MAX_IN_FLIGHT && waiting.size > 0) {
      const all = [...waiting];
      waiting = new Map(all.slice(MAX_IDS));
      void send(new Map(all.slice(0, MAX_IDS)));
    }
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
