import type { Clock } from '../../event-sourcing/clock.js';
import { makeSemaphore, type Semaphore } from './semaphore.js';

const MIB = 1024 * 1024;

/** A body of a request or a response of at most this many bytes is not counted. */
export const UNCOUNTED_BYTES = 16 * 1024;

/** What the process has for all requests together. A request that acquires none of it may hold some 100 KiB. */
export type ProcessBudget = {
  /** Lists, large pages and large records that are streamed: each holds a connection to Postgres and a snapshot. */
  readonly lists: Semaphore;
  /** Histories that are read or folded: each holds a few pages of events. */
  readonly histories: Semaphore;
  /** Files above 64 KiB that are downloaded: each keeps the network's buffers full, and so the process busy. */
  readonly files: Semaphore;
  /** Feeds that are open: each holds a connection for hours, and others need some, too. */
  readonly feeds: Semaphore;
  /** Bytes of bodies that are held until they are whole, or until their reader has taken them. */
  readonly bytes: Semaphore;
};

/** Feeds at once, with the connections that a server has by default. */
const FEEDS = 950;

/** All of them may be one caller's: a monitor watches in one name. */
export const makeFeedLimit = (clock: Clock, total: number): Semaphore =>
  makeSemaphore({ clock, total, maxPerCaller: total });

export const makeProcessBudget = (clock: Clock): ProcessBudget => ({
  lists: makeSemaphore({ clock, total: 8 }),
  histories: makeSemaphore({ clock, total: 4 }),
  files: makeSemaphore({ clock, total: 64 }),
  feeds: makeFeedLimit(clock, FEEDS),
  bytes: makeSemaphore({ clock, total: 128 * MIB }),
});
