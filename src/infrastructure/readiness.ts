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

/**
 * Asks every part at once and names those that are missing, within a second. Callers that come while it asks share
 * the answer, so that probing costs the same however often it is done.
 */
export const makeReadiness = (
  parts: Readonly<Record<string, Check>>,
  /** Told what is missing whenever that has changed. */
  onChange: (missing: ReadonlyArray<string>) => void = () => undefined,
) => {
  let known = '';
  const ask = async (): Promise<{ readonly missing: ReadonlyArray<string> }> => {
    const answers = await Promise.all(
      Object.entries(parts).map(async ([name, check]) => ({ name, isThere: await inTime(check) })),
    );
    const missing = answers.filter(({ isThere }) => !isThere).map(({ name }) => name);
    if (missing.join() !== known) onChange(missing);
    known = missing.join();
    return { missing };
  };
  let asking: ReturnType<typeof ask> | undefined;

  return (): ReturnType<typeof ask> => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
};
