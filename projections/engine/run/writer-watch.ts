import type { Clock } from '../../../src/event-sourcing/clock.js';

/**
 * How long nobody may write live rows until that is said, ms. A process that was killed holds its lease for 3 s, and
 * another one takes it within the next two.
 */
const UNWRITTEN_MS = 10_000;

type WriterWatch = {
  /** Call it with each look at the lease of the live rows: whether a process may write them now. */
  readonly note: (isWritten: boolean) => void;
  /** Whether nobody has written them for `UNWRITTEN_MS`; false as long as nobody has looked. */
  readonly isUnwritten: () => boolean;
};

/** Watches whether some process writes the live rows of one read model. */
export const watchWriter = (clock: Clock): WriterWatch => {
  let unwrittenSince: number | undefined;
  // while the database does not answer, nothing is known: only looks count
  let lookedAt = -Infinity;
  return {
    note: (isWritten) => {
      lookedAt = clock.monotonic();
      unwrittenSince = isWritten ? undefined : (unwrittenSince ?? lookedAt);
    },
    isUnwritten: () => unwrittenSince !== undefined && lookedAt - unwrittenSince >= UNWRITTEN_MS,
  };
};
