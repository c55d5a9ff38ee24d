/** An acknowledged change or a read of one record, with the times, of one clock, at which it began and ended. */
export type Operation = {
  readonly kind: 'change' | 'read';
  readonly id: string;
  /** What the change made, or what the read showed; -1 where it showed no such record. */
  readonly revision: bigint;
  readonly began: number;
  readonly ended: number;
  /** Who, and how things stood. */
  readonly note: string;
};

/** Reads that showed a record as it was before a change that was acknowledged before they began, as sentences. */
export const staleReads = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  operations
    .filter(({ kind }) => kind === 'read')
    .flatMap((read) => {
      const missed = operations.find(
        ({ kind, id, revision, ended }) =>
          kind === 'change' && id === read.id && ended < read.began && revision > read.revision,
      );
      return missed === undefined
        ? []
        : [`${read.note} showed revision ${read.revision} after ${missed.note} had made ${missed.revision}`];
    });
