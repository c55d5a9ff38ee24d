import type { Context } from 'mocha';

/** Leaves a test out, and says why, where this machine cannot run it. */
export const needs = (test: Context, possible: boolean, what: string): void => {
  if (possible) return;
  console.log(`      left out: needs ${what}`);
  test.skip(); // the machine's limit, printed above
};
