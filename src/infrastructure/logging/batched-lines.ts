import { type DestinationStream, pino } from 'pino';
import type { Cancel, Clock } from '../../event-sourcing/clock.js';
import { errorCode } from '../error-code.js';
import { standStill } from '../../config/stand-still.js';

/** Longest time, ms, that a line waits for others to be written with. */
const LONGEST_WAIT = 10;

/** Characters of a batch that waits no longer. */
const BATCH_LENGTH = 16 * 1024;

/** Bytes of lines that are kept while they cannot be written. */
const MOST_KEPT = 1024 * 1024;

/** Until what could not be written is tried again, ms. */
const RETRY_AFTER = 100;

/** How often the end of the process waits so long for a slow reader, together 5 s. */
const MOST_WAITS = 50;

const AT_ONCE = pino.levels.values['error'] ?? 0;

/** Writes the beginning of these bytes and gives how many they were, or throws, as `writeSync` does. */
type Put = (bytes: Uint8Array) => number;

/** Lines that were lost since this was last said, and what the last attempt to write met. */
type Lost = { readonly lines: number; readonly cause: unknown };

/** A destination of pino. Before each line pino notes its level here, because the symbol asks for it. */
type BatchedLines = DestinationStream & {
  readonly [pino.symbols.needsMetadataGsym]: true;
  lastLevel: number;
  /** How many lines were lost until now. */
  readonly lost: () => number;
};

const linesIn = (text: string): number => text.split('\n').length - 1;

/**
 * Writes log lines by `put`, many by one system call. A line waits for others for at most 10 ms; an error is written at
 * once, with all lines before it, and the end of the process (`process.exit`, an uncaught exception, nothing left to do)
 * waits until everything is written. What ends it without notice (SIGKILL, no memory left) loses the lines that were
 * still waiting.
 *
 * While lines are not taken, because a disk is full, a pipe is, or its reader has gone, up to 1 MiB of them is kept and
 * tried again. Those beyond are lost, newest first, so that the process neither waits for its log nor grows; `onTaken`
 * is told of them as soon as all that was kept is written. At its end the process waits for a full pipe, for 5 s at most.
 */
export const batchedLines = (clock: Clock, put: Put, onTaken: (lost: Lost) => void): BatchedLines => {
  let batch = '';
  /** What is still to be written. A part of the first line may be written already. */
  const kept: Array<Uint8Array> = [];
  let keptBytes = 0;
  let lost = 0;
  let said = 0;
  let cause: unknown;
  /** Runs while there are lines to be written. */
  let timer: Cancel | undefined;
  let isExiting = false;
  let waits = 0;

  const putOrWait = (bytes: Uint8Array): number => {
    for (;;)
      try {
        return put(bytes);
      } catch (error) {
        if (!isExiting || errorCode(error) !== 'EAGAIN' || waits === MOST_WAITS) throw error;
        waits += 1;
        standStill(RETRY_AFTER);
      }
  };

  /** Whether all of it was written. */
  const writeKept = (): boolean => {
    try {
      for (let [first] = kept; first !== undefined; [first] = kept) {
        const written = putOrWait(first);
        keptBytes -= written;
        if (written === first.length) kept.shift();
        else kept[0] = first.subarray(written);
      }
      return true;
    } catch (error) {
      cause = error;
      return false;
    }
  };

  const keep = (lines: string): void => {
    const bytes = Buffer.from(lines);
    if (keptBytes > 0 && keptBytes + bytes.length > MOST_KEPT) {
      lost += linesIn(lines);
      return;
    }
    if (bytes.length > 0) kept.push(bytes);
    keptBytes += bytes.length;
  };

  const flush = (): void => {
    timer?.();
    timer = undefined;
    const lines = batch;
    batch = '';
    // what waits goes first: once it is written, there is room for these
    const isTaken = writeKept();
    keep(lines);
    if (!isTaken || !writeKept()) timer = clock.after(RETRY_AFTER, flush, { isBackground: true });
    else if (lost > said) {
      const unsaid = lost - said;
      said = lost;
      onTaken({ lines: unsaid, cause });
    }
  };

  process.once('exit', () => {
    isExiting = true;
    if (timer !== undefined) flush();
  });

  return {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    lost: () => lost,
    write(line) {
      batch += line;
      if (isExiting || this.lastLevel >= AT_ONCE || batch.length >= BATCH_LENGTH) flush();
      else timer ??= clock.after(LONGEST_WAIT, flush, { isBackground: true });
    },
  };
};
