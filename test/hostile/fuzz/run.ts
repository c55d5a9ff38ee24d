import { type Described, makeConforms } from '../../support/conforms.js';
import { makeClient } from './client.js';
import { Coverage } from './coverage.js';
import { type Operation, operationsOf } from './operations.js';
import { Failures } from './report.js';
import { type Case, type Run, runSession, SESSION } from './session.js';
import { makeTokens } from './tokens.js';
import { makeValues } from './values.js';

/** A service to be asked, and the secret that its tokens are signed with. */
export type Target = { readonly baseUrl: string; readonly secret: string };

type Outcome = {
  readonly operations: ReadonlyArray<Operation>;
  readonly coverage: Coverage;
  readonly failures: Failures;
  readonly cases: number;
};

type RunOptions = {
  readonly seed: number;
  readonly cases: number;
  /** Sessions at once. */
  readonly workers: number;
  readonly onCase?: (done: Case) => void;
};

/** The service is gone when so many cases in a row have had no answer. */
const MOST_LOST = 20;

const runOn = async ({ baseUrl, secret }: Target, seed: number): Promise<Run> => {
  const response = await fetch(`${baseUrl}/openapi.json`);
  const document = (await response.json()) as Described; // reason: the service describes itself so
  return {
    seed,
    operations: operationsOf(document),
    conforms: makeConforms(document),
    makeValuesOf: makeValues(),
    tokens: makeTokens(secret),
    client: makeClient(baseUrl),
  };
};

/** Asks a service `cases` times and gathers what is wrong with its answers. */
export const fuzz = async (target: Target, { seed, cases, workers, onCase }: RunOptions): Promise<Outcome> => {
  const run = await runOn(target, seed);
  const coverage = new Coverage();
  const failures = new Failures();
  let next = 0;
  let done = 0;
  let lost = 0;

  const take = (asked: Case): void => {
    done += 1;
    lost = asked.answer === undefined ? lost + 1 : 0;
    coverage.add(asked);
    if (asked.faults.length > 0) failures.add(asked);
    onCase?.(asked);
  };
  const work = async (): Promise<void> => {
    while (next * SESSION < cases && lost < MOST_LOST) {
      const session = next++;
      const steps = Math.min(SESSION, cases - session * SESSION);
      for await (const asked of runSession(run, session, steps)) {
        take(asked);
        if (lost >= MOST_LOST) return;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: workers }, work));
  } finally {
    run.client.close();
  }
  return { operations: run.operations, coverage, failures, cases: done };
};

/** Runs the session of a case up to it, and gives the case. */
export const repeatCase = async (target: Target, seed: number, number: number): Promise<Case> => {
  const run = await runOn(target, seed);
  try {
    let last: Case | undefined;
    const session = Math.floor(number / SESSION);
    for await (const asked of runSession(run, session, (number % SESSION) + 1)) last = asked;
    if (last === undefined) throw new Error(`there is no case ${number}`);
    return last;
  } finally {
    run.client.close();
  }
};
