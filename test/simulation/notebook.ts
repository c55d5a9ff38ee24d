/** What is seen of a cluster's life. */
export type Notebook = {
  /** In virtual time. */
  readonly say: (line: string) => void;
  /** A promise of the service was not kept. */
  readonly breaks: (line: string) => void;
  /** A fault or an answer of this kind occurred. */
  readonly count: (what: string) => void;
};

export type Outcome = {
  readonly trace: ReadonlyArray<string>;
  /** Promises that were not kept. */
  readonly broken: ReadonlyArray<string>;
  /** How often each kind of fault and of answer occurred. */
  readonly counts: Readonly<Record<string, number>>;
};

export const makeNotebook = (now: () => number): Notebook & { readonly outcome: () => Outcome } => {
  const [trace, broken]: [Array<string>, Array<string>] = [[], []];
  const counts: Record<string, number> = {};
  const say = (line: string): void => void trace.push(`${now().toFixed(3)} ${line}`);
  return {
    say,
    breaks: (line) => {
      say(`NOT KEPT: ${line}`);
      broken.push(line);
    },
    count: (what) => void (counts[what] = (counts[what] ?? 0) + 1),
    outcome: () => ({ trace, broken, counts }),
  };
};
