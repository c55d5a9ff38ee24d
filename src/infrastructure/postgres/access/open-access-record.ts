import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { planByValues } from '../../../postgres/index-plans.js';
import { makePool } from '../../../postgres/pool.js';
import type { AccessRecord } from '../../../read/access/access-record.js';
import { makeAddReads } from './add-reads.js';
import { makeFindReads } from './find-reads.js';

/** A record of reads on connections of its own. */
export type OwnAccessRecord = AccessRecord & {
  /** Waits for the statements under way. */
  readonly close: () => Promise<void>;
};

/** The record of reads in Postgres. Connects with its first use; fails within seconds while the database is away. */
export const openAccessRecord = (connectionString: string): OwnAccessRecord => {
  const answering = { connectionString, connectMs: SILENCE_MS, queryMs: SILENCE_MS, statementMs: SILENCE_MS };
  const writing = makePool({ ...answering, name: 'access-record', connections: 1 });
  const reading = makePool({ ...answering, name: 'access-record-reads', connections: 2, prepare: planByValues });
  return {
    add: makeAddReads(writing),
    ...makeFindReads(reading),
    close: async () => {
      await Promise.all([writing.end(), reading.end()]);
    },
  };
};
