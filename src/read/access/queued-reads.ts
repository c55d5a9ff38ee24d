import type { Cancel, Clock } from '../../event-sourcing/clock.js';
import type { AccessRecord, Read } from './access-record.js';
import type { AccessEvent, ReadWriter } from './read-writer.js';

/** Rows of one statement; as many are written at once, without waiting for more. */
const BATCH = 200;

/** How long a row waits for others, ms. */
const DELAY_MS = 250;

/** Rows that are held while the database does not take them; each takes a few hundred bytes, at most some 3 KiB. */
const HELD = 10_000;

/** Until it is tried again when the database did not take rows, ms. */
const RETRY_MS = 1_000;

/** A row, and how many reads it stands for: a feed that is cut and opened again at once is one row. */
type Held = { readonly read: Read; times: number };

const rowOf = ({ read, times }: Held): Read => (times === 1 ? read : { ...read, what: `${read.what}×${times}` });

const sameFeed = ({ user, operation, record, what }: Read): string =>
  JSON.stringify([user, operation, record?.entityType, record?.entity, what]);

/**
 * Writes reads behind the answers, which do not wait for it: up to `BATCH` rows together, each at most `DELAY_MS` after its
 * read. What the database does not take is held and tried again; beyond `HELD` rows, reads are lost and counted. Where it is
 * not known whether a batch was stored, it is stored again: a row may be there twice.
 */
export const makeQueuedReads = (
  clock: Clock,
  { add }: Pick<AccessRecord, 'add'>,
  onEvent: (event: AccessEvent) => void,
): ReadWriter => {
  const held: Array<Held> = [];
  /** The feeds among those that are not being written. */
  let feeds = new Map<string, Held>();
  let lost = 0;
  let isFailing = false;
  let isStopping = false;
  let cancelDelay: Cancel | undefined;
  let running: Promise<void> | undefined;
  const stopping = new AbortController();

  const lose = (reads: number, isLast?: true): void => {
    lost += reads;
    onEvent({ _tag: 'Lost', reads, ...(isLast && { isLast }) });
  };

  /** Writes the oldest rows. False where the database does not take them. */
  const writeBatch = async (): Promise<boolean> => {
    const batch = held.slice(0, BATCH);
    // what comes from now on is no part of a row that is being written
    feeds = new Map();
    try {
      await add(batch.map(rowOf));
    } catch (cause) {
      isFailing = true;
      onEvent({ _tag: 'NotWritten', cause });
      return false;
    }
    held.splice(0, batch.length);
    if (isFailing) onEvent({ _tag: 'WrittenAgain' });
    isFailing = false;
    return true;
  };

  const run = async (): Promise<void> => {
    let isDue = true;
    while (isDue && !isStopping) {
      if (!(await writeBatch())) await clock.sleep(RETRY_MS, stopping.signal);
      isDue = isFailing || held.length >= BATCH;
    }
    running = undefined;
    schedule();
  };

  const start = (): void => {
    cancelDelay?.();
    cancelDelay = undefined;
    running ??= run();
  };

  /** Has what is held written in time. */
  const schedule = (): void => {
    if (running !== undefined || isStopping || held.length === 0) return;
    if (held.length >= BATCH) start();
    else cancelDelay ??= clock.after(DELAY_MS, start);
  };

  const hold = (read: Read): void => {
    const feed = read.form === 'feed' ? sameFeed(read) : undefined;
    const known = feed === undefined ? undefined : feeds.get(feed);
    if (known !== undefined) {
      known.times += 1;
      return;
    }
    if (held.length >= HELD || isStopping) {
      lose(1);
      return;
    }
    const own = { read, times: 1 };
    held.push(own);
    if (feed !== undefined) feeds.set(feed, own);
    schedule();
  };

  return {
    write: (read) => {
      hold(read);
      return undefined;
    },
    lost: () => lost,
    isFailing: () => isFailing,
    stop: async () => {
      isStopping = true;
      stopping.abort();
      cancelDelay?.();
      await running;
      let isTaken = true;
      while (isTaken && held.length > 0) isTaken = await writeBatch();
      const left = held.reduce((reads, { times }) => reads + times, 0);
      if (left > 0) lose(left, true);
    },
  };
};
