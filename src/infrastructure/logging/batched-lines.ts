import { type DestinationStream, pino } from 'pino';

/** Longest time, ms, that a line waits for others to be written with. */
const LONGEST_WAIT = 10;

/** Characters of a batch that waits no longer. */
const BATCH_LENGTH = 16 * 1024;

/** Bytes that are kept for a reader that is slow, or for a disk that is full. */
const MOST_KEPT = 1024 * 1024;

/** Until what could not be written is tried again, ms. */
const RETRY_AFTER = 100;

const AT_ONCE = pino.levels.values['error'] ?? 0;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** A destination of pino. Before each line pino notes its level here, because the symbol asks for it. */
type BatchedLines = DestinationStream & { readonly [pino.symbols.needsMetadataGsym]: true; lastLevel: number };

/**
 * Writes log lines to a file descriptor, many by one system call. A line waits for others for at most 10 ms; an error is
 * written at once, with all lines before it, and the end of the process (`process.exit`, an uncaught exception, nothing
 * left to do) waits until everything is written. What ends it without notice (SIGKILL, no memory left) loses the lines
 * that were still waiting.
 *
 * While a pipe is full, up to 1 MiB of lines is kept and tried again; with more, the process waits for the reader, so
 * that no line is lost. Lines for a reader that has gone are dropped. Where lines cannot be written for another reason,
 * as to a full disk, those beyond 1 MiB are dropped.
 */
export const batchedLines = (fd: number): BatchedLines => {
  let batch = '';
  /** Runs while there are lines to be written. */
  let timer: NodeJS.Timeout | undefined;
  let isGone = false;
  let isExiting = false;

  const file = pino.destination({
    dest: fd,
    sync: true,
    maxLength: MOST_KEPT + 2 * BATCH_LENGTH,
    retryEAGAIN: (_, writing, waiting) => isExiting || writing + waiting >= MOST_KEPT,
  });

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const lines = batch;
    batch = '';
    // with nothing to add, too, it tries again what it has kept
    if (!isGone) file.write(lines);
  };

  // in place of pino's own listener, which throws from within `log.info` what is not EPIPE
  file.removeAllListeners('error').on('error', (error) => {
    isGone = codeOf(error) === 'EPIPE';
    if (!isGone) timer = setTimeout(flush, RETRY_AFTER).unref();
  });

  process.once('exit', () => {
    isExiting = true;
    if (timer !== undefined) flush();
  });

  return {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      batch += line;
      if (isExiting || this.lastLevel >= AT_ONCE || batch.length >= BATCH_LENGTH) flush();
      else timer ??= setTimeout(flush, LONGEST_WAIT).unref();
    },
  };
};
