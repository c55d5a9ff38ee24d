import type { ChainEnd } from '../hash-chain.js';
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

/** Keeps all of them: about 300 bytes a stream, 60 MB for 200,000, whatever the number of events. */
export const keepChainEnds = (): ChainEnds => {
  const ends = new Map<StreamName, ChainEnd | 'broken'>();
  return {
    prepare: () => Promise.resolve(),
    get: (stream) => ends.get(stream),
    set: (stream, end) => void ends.set(stream, end),
    streams: () => ends.size,
  };
};
