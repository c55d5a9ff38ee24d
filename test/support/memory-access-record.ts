import { either as E } from 'fp-ts';
import { isSought } from '../../src/infrastructure/postgres/read-models/ledger-row.js';
import type { AccessFilter, AccessRecord, RecordedRead } from '../../src/read/access/access-record.js';

const isIn = (
  { user, entityType, entity, operation, since, until }: AccessFilter,
  { record, ...read }: RecordedRead,
): boolean =>
  (user === undefined || read.user === user) &&
  isSought(entityType, record?.entityType) &&
  (entity === undefined || record?.entity === entity) &&
  (operation === undefined || read.operation === operation) &&
  (since === undefined || read.at >= since) &&
  (until === undefined || read.at < until);

/** A record of reads in memory: any number of processes of a test share one. `rows` is what it has, the oldest first. */
export const makeMemoryAccessRecord = (): AccessRecord & { readonly rows: ReadonlyArray<RecordedRead> } => {
  const rows: Array<RecordedRead> = [];
  return {
    rows,
    add: (reads) => {
      for (const read of reads) rows.push({ ...read, id: BigInt(rows.length + 1) });
      return Promise.resolve();
    },
    page: ({ filter, after, direction, limit, upTo }) => {
      const isForwards = direction === 'forwards';
      const found = (isForwards ? rows : rows.toReversed()).filter(
        (row) =>
          isIn(filter, row) &&
          (upTo === undefined || row.id <= upTo) &&
          (after === undefined || (isForwards ? row.id > after : row.id < after)),
      );
      return Promise.resolve(E.right({ reads: found.slice(0, limit), isLast: found.length <= limit }));
    },
    newest: () => Promise.resolve(E.right(rows.at(-1)?.id)),
  };
};
