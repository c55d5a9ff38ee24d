import { statfs } from 'node:fs/promises';
import type { Clock } from '../../event-sourcing/clock.js';

/**
 * Bytes that are kept free. Postgres ends when it cannot begin another segment of its write-ahead log, and needs one to
 * start again: 16 MiB. Four of them leave room for what is written between two measurements, and for the read models'
 * rows of events that were acknowledged before.
 */
const RESERVE = 64 * 1024 * 1024;

/** The free space is measured at this interval, and whenever so many bytes were written since. */
const POLL_INTERVAL_MS = 1_000;
const POLL_BYTES = 8 * 1024 * 1024;

/** A write that failed for want of space counts for so long, unless another write succeeds. */
const FAILURE_MS = 15_000;

/** ENOSPC, EDQUOT: Node's, no space left on the disk or in the quota. 53100: Postgres's `disk_full`, Appendix A. */
const OUT_OF_SPACE = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);

/** Whether an error, or one of its causes, says that a disk is full. */
export const isOutOfSpace = (failure: unknown): boolean => {
  for (let each = failure; typeof each === 'object' && each !== null; each = 'cause' in each ? each.cause : undefined)
    if ('code' in each && OUT_OF_SPACE.has(each.code)) return true;
  return false;
};

/** Bytes that this process may still write on the disk of a directory; undefined where the system does not say. */
export const freeBytesOf = async (directory: string): Promise<number | undefined> => {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
};

/** The space on the disk that something is stored on. */
export type DiskSpace = {
  /** Whether a write may fail for want of space: less than the reserve is free, or the last write failed so. */
  readonly isFull: () => boolean;
  /** Free bytes when last measured; undefined where the disk is not of this machine, or the system does not say. */
  readonly free: () => number | undefined;
  /** Whether so many bytes may be written: the reserve was free when last measured. Counts them as written. */
  readonly admits: (bytes: number) => boolean;
  /** Both note the outcome of a write. */
  readonly succeeded: () => void;
  readonly failed: (cause: unknown) => void;
  readonly stop: () => Promise<void>;
};

/** A write was not tried, because it would use the reserve. */
export class DiskFull extends Error {
  constructor() {
    super(`less than ${RESERVE / 1024 / 1024} MiB are free on the disk`);
    this.name = 'DiskFull';
  }
}

/**
 * Measures the free space on the disk of a directory once a second, however often it is asked for, until it is stopped.
 * Without a directory, where a server stores the data, only the outcomes of writes count.
 */
export const watchDiskSpace = (
  clock: Clock,
  directory: string | undefined,
  freeBytes: typeof freeBytesOf = freeBytesOf,
): DiskSpace => {
  let free: number | undefined;
  let written = 0;
  let failedAt = -Infinity;
  let isMeasuring = false;

  const measure = async (measured: string): Promise<void> => {
    if (isMeasuring) return;
    isMeasuring = true;
    written = 0;
    free = await freeBytes(measured);
    isMeasuring = false;
  };
  const measureNow = (): void => void (directory === undefined ? undefined : measure(directory));

  measureNow();
  const cancel =
    directory === undefined ? undefined : clock.every(POLL_INTERVAL_MS, measureNow, { isBackground: true });

  const isBelowReserve = (): boolean => free !== undefined && free < RESERVE;
  return {
    isFull: () => isBelowReserve() || clock.monotonic() - failedAt < FAILURE_MS,
    free: () => free,
    admits: (bytes) => {
      written += bytes;
      if (written >= POLL_BYTES) measureNow();
      return !isBelowReserve();
    },
    succeeded: () => {
      failedAt = -Infinity;
    },
    failed: (cause) => {
      if (!isOutOfSpace(cause)) return;
      failedAt = clock.monotonic();
      measureNow();
    },
    stop: () => {
      cancel?.();
      return Promise.resolve();
    },
  };
};
