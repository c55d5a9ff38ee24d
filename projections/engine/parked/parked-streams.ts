import type { EntityRows } from '../storage.js';

/** The streams of which an event is parked in one generation, for its only writer. */
export type ParkedStreams = {
  /** False: none of its events is parked. */
  readonly mayHave: (stream: string) => boolean;
  readonly add: (stream: string) => void;
};

/** Streams remembered; while more are parked, every stream may be one of them. */
const REMEMBERED = 10_000;

/** Reads them. To be read again whenever another process may have written the generation. */
export const readParkedStreams = async (stored: Pick<EntityRows, 'parkedStreams'>): Promise<ParkedStreams> => {
  const streams = new Set<string>(await stored.parkedStreams(REMEMBERED + 1));
  return {
    mayHave: (stream) => streams.size > REMEMBERED || streams.has(stream),
    add: (stream) => {
      if (streams.size <= REMEMBERED) streams.add(stream);
    },
  };
};
