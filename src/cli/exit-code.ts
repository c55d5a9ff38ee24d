/**
 * How a command ended, as scripts see it:
 * - 0 it did what it was asked, and found nothing wrong
 * - 1 it found something wrong, or could not do it; standard error says what
 * - 2 the command line or the configuration is not valid; nothing was done
 * - 130 it was interrupted (Ctrl-C), as a shell says it
 * - 141 the reader of standard output had gone before all was written (`| head`), as a shell says it
 */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130, closed: 141 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
