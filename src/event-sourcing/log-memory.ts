import { either as E } from 'fp-ts';
import { SILENCE_MS } from './answer-deadline.js';
import { attempt } from './attempt.js';
import type { OnConnectionEvent } from './connection-event.js';
import {
  type AppendFailure,
  type Appended,
  asStoreUnavailable,
  CheckpointNotInLog,
  type EventStore,
  type LogBatch,
  type LogRange,
  type MayAppend,
  StoreUnavailable,
  StreamTruncated,
} from './event-store.js';
import type { Clock } from './clock.js';
import type { StreamPage } from './stream-page.js';
import { readEvent } from './read-event.js';
import { type Checkpoint, checkpointAt, type NewEvent, type Position, type StoredEvent } from './recorded-event.js';
import { withTimeout } from './with-timeout.js';

/** How long until the log is asked again when it could not be compared, ms. */
const AGAIN_MS = 500;

/** The log lacks events that this process has seen in it. */
class EventsLost extends StoreUnavailable {
  constructor() {
    super('The log lacks events that were in it; whether the read models fit it is being examined');
  }
}

type Compared = E.Either<StoreUnavailable, void>;

/** A comparison asks the log twice, and may begin again. */
const tooLate: Compared = E.left(
  new StoreUnavailable('The log could not be compared in time with what was seen of it'),
);

type SeenEvent = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'position'>;

/** The furthest place in the log that this process knows of, and the newest event that it has seen. */
type Seen = { readonly checkpoint: Checkpoint; readonly event: SeenEvent | undefined };

export type LogMemory = {
  /** The same log; what is seen of it is remembered. */
  readonly store: EventStore;
  /** Call it with what happens to the connection: the log that is found after a loss of it may be another one. */
  readonly onConnectionEvent: OnConnectionEvent;
  /** Other processes have seen the log up to a position, which need not be one of an event. */
  readonly note: (position: Position) => void;
  /** Has `forget` called whenever the log has lost events: what it has said before is void. */
  readonly onLost: OnLost;
  readonly stop: () => Promise<void>;
};

export type OnLost = (forget: () => void) => void;

type LogMemoryDeps = {
  readonly clock: Clock;
  readonly store: EventStore;
  /** Called each time that events were lost. */
  readonly onEventsLost: () => void;
};

const isOutage = ({ kind }: Parameters<OnConnectionEvent>[0]): boolean =>
  kind === 'connection-lost' || kind === 'reconnected' || kind === 'resubscribed';

/**
 * Remembers how far this process has seen the log, and finds out when the log is no longer so far: after a failover to a
 * server that lacked the last commits, or when a data directory was put back. It is compared after each loss of a connection
 * (appends wait for that), when a head is below an earlier one, and when a new event gets a position that was taken.
 */
export const makeLogMemory = ({ clock, store, onEventsLost }: LogMemoryDeps): LogMemory => {
  const stopping = new AbortController();
  const listeners: Array<() => void> = [];
  /** By the names of the categories. */
  const heads = new Map<string, Position>();
  let seen: Seen | undefined;
  let noted: Position = -1n;
  /** Aborts when events were lost. */
  let whole = new AbortController();
  let comparisonsRequired = 0;
  let comparisonsDone = 0;
  let comparing: Promise<Compared> | undefined;
  let retrying: Promise<void> | undefined;

  const position = (): Position => seen?.checkpoint.commit ?? -1n;

  const noteSeen = (checkpoint: Checkpoint, event?: SeenEvent): void => {
    const isNewer = event !== undefined && event.position > (seen?.event?.position ?? -1n);
    seen = {
      checkpoint: seen !== undefined && checkpoint.commit <= position() ? seen.checkpoint : checkpoint,
      // a copy: what is remembered must not hold the data of the event
      event: isNewer
        ? (({ stream, revision, id, position }) => ({ stream, revision, id, position }))(event)
        : seen?.event,
    };
  };

  const lose = (): void => {
    seen = undefined;
    noted = -1n;
    heads.clear();
    store.forget?.();
    whole.abort();
    whole = new AbortController();
    onEventsLost();
    for (const forget of listeners) forget();
  };

  const hasAll = async ({ checkpoint, event }: Seen): Promise<E.Either<StoreUnavailable, boolean>> => {
    const reaches = await store.reaches(checkpoint);
    if (E.isLeft(reaches) || !reaches.right || event === undefined) return reaches;
    const found = await attempt(() => readEvent(store, event.stream, event.revision), asStoreUnavailable);
    // a stream that somebody has cut says nothing of the rest of the log
    if (E.isLeft(found)) return found.left instanceof StreamTruncated ? E.right(true) : found;
    return E.right(found.right?.id === event.id);
  };

  const compareNow = async (): Promise<Compared> => {
    while (comparisonsDone !== comparisonsRequired) {
      const [compared, upTo, log] = [seen, comparisonsRequired, whole];
      const isWhole: E.Either<StoreUnavailable, boolean> =
        compared === undefined ? E.right(true) : await hasAll(compared);
      if (E.isLeft(isWhole)) return isWhole;
      comparisonsDone = upTo;
      if (!isWhole.right && log === whole) lose();
    }
    return E.right(undefined);
  };

  /** Compares what was seen with the log, unless that was done since it was last required. */
  const compare = (): Promise<Compared> => (comparing ??= compareNow().finally(() => (comparing = undefined)));

  const keepComparing = async (): Promise<void> => {
    while (E.isLeft(await compare()) && (await clock.sleep(AGAIN_MS, stopping.signal)));
  };

  const requireComparison = (): void => {
    comparisonsRequired += 1;
    if (!stopping.signal.aborted) retrying ??= keepComparing().finally(() => (retrying = undefined));
  };

  /** Whether this very append has stored its events: a command that is repeated seals them with other salts. */
  const isFirst = async (
    { revision, confirmedNew }: Appended,
    stream: StoredEvent['stream'],
    last: NewEvent | undefined,
    until: number,
  ): Promise<boolean> => {
    if (confirmedNew) return true;
    const found = await attempt(() => readEvent(store, stream, revision, until), asStoreUnavailable);
    return E.isRight(found) && found.right?.metadata === last?.metadata;
  };

  const append: EventStore['append'] = async (stream, expected, events, until = Infinity) => {
    const [log, latest] = [whole, Math.min(until, clock.monotonic() + SILENCE_MS)];
    const mayAppend: MayAppend = async () => {
      const compared: Compared =
        comparisonsDone === comparisonsRequired
          ? E.right(undefined)
          : ((await withTimeout(clock, latest - clock.monotonic(), compare())) ?? tooLate);
      return E.isRight(compared) && log !== whole ? E.left(new EventsLost()) : compared;
    };
    const before = position() > noted ? position() : noted;
    const appended = await store.append(stream, expected, events, until, mayAppend);
    if (E.isLeft(appended)) return appended;
    // it may be among the events that were lost meanwhile
    if (log !== whole) return E.left<AppendFailure>(new EventsLost());
    const last = events.at(-1);
    if (appended.right.position > before) {
      if (last !== undefined)
        noteSeen(checkpointAt(appended.right.position), { ...appended.right, stream, id: last.id });
      return appended;
    }
    if (!(await isFirst(appended.right, stream, last, until))) return appended;
    if (log === whole) lose();
    return E.left<AppendFailure>(new EventsLost());
  };

  const head: EventStore['head'] = async (categories) => {
    const log = whole;
    const key = categories?.join(' ') ?? '*';
    const before = heads.get(key) ?? -1n;
    const found = await store.head(categories);
    if (E.isLeft(found) || log !== whole) return found;
    const newest = found.right ?? -1n;
    heads.set(key, newest);
    if (newest < before) requireComparison();
    if (newest > position()) noteSeen(checkpointAt(newest));
    return found;
  };

  /** What a command has folded is among what is compared. */
  async function* readStream(...args: Parameters<EventStore['readStream']>): AsyncGenerator<StreamPage> {
    const log = whole;
    for await (const page of store.readStream(...args)) {
      for (const event of [page.bytes[0], page.bytes.at(-1)])
        if (event !== undefined && log === whole) noteSeen(checkpointAt(event.position), event);
      yield page;
    }
  }

  async function* subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogBatch> {
    const { signal: lost } = whole;
    try {
      for await (const batch of store.subscribe(range, AbortSignal.any([signal, lost]))) {
        if (lost.aborted) break;
        noteSeen(batch.checkpoint, batch.events.at(-1));
        yield batch;
      }
    } catch (thrown) {
      if (thrown instanceof CheckpointNotInLog) {
        requireComparison();
        await compare();
      }
      if (!lost.aborted) throw thrown;
    }
    if (lost.aborted && !signal.aborted) throw new EventsLost();
  }

  return {
    store: { ...store, append, readStream, head, subscribe },
    onConnectionEvent: (event) => {
      if (isOutage(event)) requireComparison();
    },
    note: (to) => {
      if (to > noted) noted = to;
    },
    onLost: (forget) => void listeners.push(forget),
    stop: async () => {
      stopping.abort();
      await retrying;
    },
  };
};
