import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { sizeOf } from '../../../src/event-sourcing/stream-page.js';

/** What the process computes at most for a record, for each of its events, and for each KiB of those, ms: `bench:drift`. */
const MOST = { record: 0.15, event: 0.02, kib: 0.02 };

type OwnWork = {
  /** The same store; what is read of it counts. */
  readonly store: Pick<EventStore, 'readStream' | 'newestRevision'>;
  /** Begins to measure. Then: what comparing so many records took of the process since, ms of CPU time. */
  readonly measure: () => (records: number) => number;
};

/**
 * Measures how much a process computes for a comparison. Node tells the CPU time of the whole process alone, requests too: so
 * it is no more than what was read can have taken.
 */
export const measureOwnWork = (
  { computed }: Clock,
  given: Pick<EventStore, 'readStream' | 'newestRevision'>,
): OwnWork => {
  let [events, bytes] = [0, 0];
  return {
    store: {
      newestRevision: given.newestRevision,
      async *readStream(stream, range) {
        for await (const page of given.readStream(stream, range)) {
          events += page.length;
          bytes += sizeOf(page.bytes);
          yield page;
        }
      },
    },
    measure: () => {
      const before = { computed: computed(), events, bytes };
      return (records) => {
        const kib = (bytes - before.bytes) / 1_024;
        const most = records * MOST.record + (events - before.events) * MOST.event + kib * MOST.kib;
        return Math.min(computed() - before.computed, most);
      };
    },
  };
};
