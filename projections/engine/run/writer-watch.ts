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

/** Watches whether some process writes the live rows of one read model. `now`: in ms, by a clock that never goes back. */
export const watchWriter = (now: () => number = () => performance.now()): WriterWatch => {
  let unwrittenSince: number | undefined;
  // while the database does not answer, nothing is known: only looks count
  let lookedAt = -Infinity;
  return {
    note: (isWritten) => {
      lookedAt = now();
      unwrittenSince = isWritten ? undefined : (unwrittenSince ?? now());
    },
    isUnwritten: () => unwrittenSince !== undefined && lookedAt - unwrittenSince >= UNWRITTEN_MS,
  };
};
