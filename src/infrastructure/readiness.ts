/** Whether a part that the service needs answers. Rejecting means no. */
export type Check = () => Promise<boolean>;

/** Longest wait for one part, ms; a part that does not answer by then is missing. */
const PATIENCE = 1000;

const inTime = (check: Check): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE);
    const settle = (answer: boolean): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    check().then(settle, () => settle(false));
  });

/** What a probe learns: the parts that are missing, and what is amiss although nothing is. */
export type Readiness = { readonly missing: ReadonlyArray<string>; readonly warnings: ReadonlyArray<string> };

type Watched = {
  /** By name: whether there is something to warn of. */
  readonly warnings?: Readonly<Record<string, () => boolean>>;
  /** Told what is amiss whenever that has changed. */
  readonly onChange?: (readiness: Readiness) => void;
};

/**
 * Asks every part at once and names those that are missing, within a second. Callers that come while it asks share
 * the answer, so that probing costs the same however often it is done.
 */
export const makeReadiness = (
  parts: Readonly<Record<string, Check>>,
  { warnings: conditions = {}, onChange = () => undefined }: Watched = {},
): (() => Promise<Readiness>) => {
  const ready: Readiness = { missing: [], warnings: [] };
  let known = JSON.stringify(ready);
  const ask = async (): Promise<Readiness> => {
    const answers = await Promise.all(
      Object.entries(parts).map(async ([name, check]) => ({ name, isThere: await inTime(check) })),
    );
    const missing = answers.filter(({ isThere }) => !isThere).map(({ name }) => name);
    const warnings = Object.keys(conditions).filter((name) => conditions[name]?.() === true);
    const readiness = { missing, warnings };
    if (JSON.stringify(readiness) !== known) onChange(readiness);
    known = JSON.stringify(readiness);
    return readiness;
  };
  let asking: ReturnType<typeof ask> | undefined;

  return (): ReturnType<typeof ask> => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
};
