/** What has to be ended: the last that was added first. */
export type Ends = Array<() => Promise<void> | void>;

/** Ends all that `work` has started, however it ends itself. */
export const withEnds = async <A>(work: (ends: Ends) => Promise<A>): Promise<A> => {
  const ends: Ends = [];
  try {
    return await work(ends);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};
