import { makeResource, type Resource } from './resource.js';

const MIB = 1024 * 1024;

/** A body or an answer of at most so many bytes takes nothing of the budget. */
export const FREE_BYTES = 16 * 1024;

/** What the process has for all requests together. A request that takes none of it may hold some 100 KiB. */
export type ProcessBudget = {
  /** Lists, large pages and large records that are streamed: each holds a connection to Postgres and a snapshot. */
  readonly lists: Resource;
  /** Histories that are read or folded: each holds a few pages of events. */
  readonly histories: Resource;
  /** Files above 64 KiB that are downloaded: what each of them fills of the network's buffers keeps the process from other work. */
  readonly files: Resource;
  /** Bytes of bodies and answers that are held until they are whole, or taken. */
  readonly bytes: Resource;
};

export const makeProcessBudget = (): ProcessBudget => ({
  lists: makeResource({ total: 8 }),
  histories: makeResource({ total: 4 }),
  files: makeResource({ total: 64 }),
  bytes: makeResource({ total: 128 * MIB }),
});
