import type { SealedRow } from './sealed-rows.js';

/** Rows of the ledger one after the other. */
type RowCursor = {
  /** The row that comes next; undefined where there is none yet. */
  readonly peek: () => Promise<SealedRow | undefined>;
  readonly next: () => void;
};

/** Reads pages of rows, the next one while the last is compared. */
export const makeRowCursor = (readPage: (from: bigint) => Promise<ReadonlyArray<SealedRow>>): RowCursor => {
  let page: ReadonlyArray<SealedRow> = [];
  let at = 0;
  let from = 0n;
  let ahead: Promise<ReadonlyArray<SealedRow>> | undefined;

  const readOn = (): Promise<ReadonlyArray<SealedRow>> => {
    const reading = readPage(from);
    // whoever awaits it gets the error
    reading.catch(() => undefined);
    return reading;
  };

  return {
    peek: async () => {
      if (at < page.length) return page[at];
      page = await (ahead ?? readOn());
      ahead = undefined;
      at = 0;
      const last = page.at(-1);
      if (last !== undefined) {
        from = last.index + 1n;
        ahead = readOn();
      }
      return page[0];
    },
    next: () => void (at += 1),
  };
};
