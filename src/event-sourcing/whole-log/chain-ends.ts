import { makeBoundedCache } from '../bounded-cache.js';
import { type EventStore, StreamTruncated } from '../event-store.js';
import { type ChainEnd, hashIn } from '../hash-chain.js';
import type { StoredEvent, StreamName } from '../recorded-event.js';

/** The end of the chain of each stream, as far as the log has been read. */
export type ChainEnds = {
  /** Call it with events before they are verified. */
  readonly prepare: (events: ReadonlyArray<StoredEvent>) => Promise<void>;
  /** Undefined for a stream that begins. */
  readonly get: (stream: StreamName) => ChainEnd | 'broken' | undefined;
  readonly set: (stream: StreamName, end: ChainEnd | 'broken') => void;
  /** How many streams were there so far. */
  readonly streams: () => number;
};

/** Entries that are remembered: at most twice as many, 300 bytes each. */
const REMEMBERED = 10_000;

/** Undefined where the event before it is hidden or gone. */
const unlessTruncated = (error: unknown): undefined => {
  if (error instanceof StreamTruncated) return undefined;
  throw error;
};

/** The end of the chain before an event that is not the first of its stream, as the event before it says. */
const readEndBefore = async (
  store: Pick<EventStore, 'readStream'>,
  { stream, revision }: StoredEvent,
): Promise<ChainEnd | undefined> => {
  const range = { direction: 'forwards', from: revision - 1n, limit: 1 } as const;
  // together with those of other streams, unless the event is large
  for (const startsSmall of [true, false])
    for await (const [before] of store.readStream(stream, { ...range, startsSmall })) {
      if (before?.revision !== revision - 1n) continue;
      const hash = hashIn(before);
      return hash === undefined ? undefined : { revision, hash };
    }
  return undefined;
};

/**
 * Keeps those of the streams that were met last, and looks the others up: for a process that must not grow with the log.
 * A stream whose end was forgotten goes on behind a broken link.
 */
export const lookUpChainEnds = (store: Pick<EventStore, 'readStream'>, remembered = REMEMBERED): ChainEnds => {
  const ends = makeBoundedCache<StreamName, ChainEnd | 'broken'>(remembered);
  /** Of the streams of the events at hand, which must not be forgotten meanwhile. */
  let atHand = new Map<StreamName, ChainEnd | 'broken'>();
  let streams = 0;
  return {
    prepare: async (events) => {
      atHand = new Map();
      const unknown = new Map<StreamName, StoredEvent>();
      for (const event of events) {
        const { stream, revision } = event;
        if (revision === 0n) streams += 1;
        if (atHand.has(stream) || unknown.has(stream)) continue;
        const end = ends.get(stream);
        if (end !== undefined) atHand.set(stream, end);
        else unknown.set(stream, event);
      }
      const behindFirst = [...unknown.values()].filter(({ revision }) => revision > 0n);
      for (const [at, end] of (
        await Promise.all(behindFirst.map((event) => readEndBefore(store, event).catch(unlessTruncated)))
      ).entries()) {
        const stream = behindFirst[at]?.stream;
        if (stream !== undefined && end !== undefined) atHand.set(stream, end);
      }
    },
    get: (stream) => atHand.get(stream),
    set: (stream, end) => {
      atHand.set(stream, end);
      ends.set(stream, end);
    },
    streams: () => streams,
  };
};
