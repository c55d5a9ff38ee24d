import { makeBoundedCache } from '../bounded-cache.js';
import type { EventStore } from '../event-store.js';
import type { Position, StreamName } from '../recorded-event.js';
import type { LogCheck } from './log-check.js';
import { type OnLogFault, truncationFault } from './log-fault.js';

/** Streams that are remembered: one that was truncated again and again is named once. */
const REMEMBERED = 10_000;

/**
 * Names the streams of which the store hides events from who reads them, though the log has them: whoever reads nothing but
 * the log does not find that.
 */
export const makeTruncationCheck = (
  { readTruncations }: Pick<EventStore, 'readTruncations'>,
  onFault: OnLogFault,
): LogCheck => {
  /** The next pass looks at what comes behind it: a log that grows all the time would have no end. */
  let upTo: Position = 0n;
  return {
    take: (events) => {
      upTo = events.at(-1)?.position ?? upTo;
      return Promise.resolve();
    },
    end: async () => {
      const named = makeBoundedCache<StreamName, true>(REMEMBERED);
      for await (const { truncated, checkpoint } of readTruncations?.({ after: 'start' }) ?? []) {
        for (const { stream, first } of truncated) {
          if (named.get(stream) === undefined) onFault(truncationFault(stream, first));
          named.set(stream, true);
        }
        if (checkpoint.commit > upTo) return;
      }
    },
  };
};
