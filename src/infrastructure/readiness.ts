import { withTimeout } from '../event-sourcing/with-timeout.js';
import type { Clock } from '../event-sourcing/clock.js';

/** Whether a dependency of the service responds. A rejection means no. */
export type Check = () => Promise<boolean>;

/** A check, and what is missing when it fails, in words. */
type NamedCheck = { readonly what: string; readonly passes: Check };

/** A check that takes longer counts as failed. */
const CHECK_TIMEOUT_MS = 1_000;

const passes = async (clock: Clock, check: Check): Promise<boolean> =>
  (await withTimeout(
    clock,
    CHECK_TIMEOUT_MS,
    check().catch(() => false),
  )) ?? false;

/** How each check ended, by its key; what those lack that failed; and the warnings that hold. */
export type Readiness = {
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
  readonly missing: ReadonlyArray<string>;
  readonly warnings: ReadonlyArray<string>;
};

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
  clock: Clock,
  named: Readonly<Record<string, NamedCheck>>,
  { warnings: conditions = {}, onChange = () => undefined }: ReadinessOptions = {},
): (() => Promise<Readiness>) => {
  let last = JSON.stringify([[], []]);
  const run = async (): Promise<Readiness> => {
    const results = await Promise.all(
      Object.entries(named).map(async ([key, check]) => ({
        key,
        what: check.what,
        isReady: await passes(clock, check.passes),
      })),
    );
    const checks = Object.fromEntries(results.map(({ key, isReady }) => [key, isReady ? 'ok' : 'failed'] as const));
    const missing = results.filter(({ isReady }) => !isReady).map(({ what }) => what);
    const warnings = Object.keys(conditions).filter((name) => conditions[name]?.() === true);
    const readiness = { checks, missing, warnings };
    const now = JSON.stringify([missing, warnings]);
    if (now !== last) onChange(readiness);
    last = now;
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
