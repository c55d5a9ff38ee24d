import type { Context } from 'mocha';

/** So long a test may take, ms. Many a change has one wait for what never comes. */
const LONGEST = 8_000;

/** The tool itself lets a test wait for a minute, and begins a process anew after that. */
// mocha finds it by its name
// ts-unused-exports:disable-next-line
export const mochaHooks = {
  beforeEach(this: Context): void {
    this.currentTest?.timeout(LONGEST);
  },
};
