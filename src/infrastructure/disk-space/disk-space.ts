import { freeBytesOf } from './free-bytes.js';
import { isOutOfSpace } from './out-of-space.js';

/**
 * Bytes that are left free. Postgres ends when it cannot begin another segment of its write-ahead log, and needs one to
 * start again: 16 MiB. Four of them leave room for what is under way between two looks, and for the rows of what was
 * acknowledged before.
 */
const RESERVE = 64 * 1024 * 1024;

/** Looks are taken this often, ms, and after so many bytes were written in between. */
const LOOK_MS = 1_000;
const LOOK_BYTES = 8 * 1024 * 1024;

/** How long a write that failed for want of space counts when no other one is tried, ms. */
const FAILURE_MS = 15_000;

/** The disk that something is kept on, be it ours or that of a server. */
export type DiskSpace = {
  /** Whether a write may fail for want of space: less than the reserve is free, or the last write failed so. */
  readonly isFull: () => boolean;
  /** Bytes free to us at the last look; undefined where the disk is not of this machine, or cannot be asked. */
  readonly free: () => number | undefined;
  /** Whether so many bytes may be written without touching the reserve, as of the last look. */
  readonly admits: (bytes: number) => boolean;
  /** What came of a write. */
  readonly succeeded: () => void;
  readonly failed: (cause: unknown) => void;
  readonly stop: () => Promise<void>;
};

/** A write that was refused to keep the reserve. */
export class DiskFull extends Error {
  constructor() {
    super(`less than ${RESERVE / 1024 / 1024} MiB are free on the disk`);
    this.name = 'DiskFull';
  }
}

type Means = {
  readonly freeBytes: typeof freeBytesOf;
  /** ms. */
  readonly now: () => number;
};

const usual: Means = { freeBytes: freeBytesOf, now: () => performance.now() };

/**
 * Watches the disk of a directory until it is stopped, by one cheap look a second, whoever asks. Without a directory, as
 * the data is on a server, only what comes of writes tells.
 */
export const watchDiskSpace = (directory: string | undefined, means: Partial<Means> = {}): DiskSpace => {
  const { freeBytes, now } = { ...usual, ...means };
  let free: number | undefined;
  let written = 0;
  let failedAt = -Infinity;
  let looking = false;

  const look = async (place: string): Promise<void> => {
    if (looking) return;
    looking = true;
    written = 0;
    free = await freeBytes(place);
    looking = false;
  };
  const lookNow = (): void => void (directory === undefined ? undefined : look(directory));

  lookNow();
  const timer = directory === undefined ? undefined : setInterval(lookNow, LOOK_MS).unref();

  const isBelowReserve = (): boolean => free !== undefined && free < RESERVE;
  return {
    isFull: () => isBelowReserve() || now() - failedAt < FAILURE_MS,
    free: () => free,
    admits: (bytes) => {
      written += bytes;
      if (written >= LOOK_BYTES) lookNow();
      return !isBelowReserve();
    },
    succeeded: () => {
      failedAt = -Infinity;
    },
    failed: (cause) => {
      if (!isOutOfSpace(cause)) return;
      failedAt = now();
      lookNow();
    },
    stop: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
};
