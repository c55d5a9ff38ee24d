/** Where progress is shown: standard error, or a test. */
export type Terminal = {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** Milliseconds of a clock that only goes forwards. */
  readonly now: () => number;
};

export const standardError: Terminal = {
  isTerminal: process.stderr.isTTY,
  write: (text) => void process.stderr.write(text),
  now: () => performance.now(),
};
