import { withTimeout } from './with-timeout.js';

/** Whether a dependency of the service responds. A rejection means no. */
export type Check = () => Promise<boolean>;

/** A check that takes longer counts as failed. */
const CHECK_TIMEOUT_MS = 1_000;

const passes = async (check: Check): Promise<boolean> =>
  (await withTimeout(
    CHECK_TIMEOUT_MS,
    check().catch(() => false),
  )) ?? false;

/** The names of the checks that fail, and of the warnings that hold. */
export type Readiness = { readonly missing: ReadonlyArray<string>; readonly warnings: ReadonlyArray<string> };

type ReadinessOptions = {
  /** By name: whether the warning holds now. */
  readonly warnings?: Readonly<Record<string, () => boolean>>;
  /** Called with each result that differs from the one before; before the first, nothing is missing. */
  readonly onChange?: (readiness: Readiness) => void;
};

/**
 * Runs all checks at once, and takes a second at most. Callers that come while checks run share their result, so that
 * the load on the dependencies does not grow with the number of probes.
 */
export const makeReadiness = (
  checks: Readonly<Record<string, Check>>,
  { warnings: conditions = {}, onChange = () => undefined }: ReadinessOptions = {},
): (() => Promise<Readiness>) => {
  const ready: Readiness = { missing: [], warnings: [] };
  let last = JSON.stringify(ready);
  const run = async (): Promise<Readiness> => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => ({ name, isReady: await passes(check) })),
    );
    const missing = results.filter(({ isReady }) => !isReady).map(({ name }) => name);
    const warnings = Object.keys(conditions).filter((name) => conditions[name]?.() === true);
    const readiness = { missing, warnings };
    if (JSON.stringify(readiness) !== last) onChange(readiness);
    last = JSON.stringify(readiness);
    return readiness;
  };
  let running: Promise<Readiness> | undefined;

  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
};
