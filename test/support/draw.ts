import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import type { Context } from 'mocha';

const { TEST_SEED } = process.env;
const seed = TEST_SEED === undefined ? Date.now() % 2 ** 31 : Number(TEST_SEED);
// properties as well: one that has failed fails again under the same seed
fc.configureGlobal({ seed });
let title = '';
let drawn = 0;

/** One value of an arbitrary, another one each time; in a test the same ones again under the same `TEST_SEED`. */
export const draw = <A>(arbitrary: fc.Arbitrary<A>): A => {
  const [value] = fc.sample(arbitrary, { seed: (seed + crc32(title) + drawn++) | 0, numRuns: 1 });
  // reason: numRuns is 1
  return value as A;
};

/** Has a test draw the same whatever ran before it in its process, and prints how to draw that again when it failed. */
// mocha finds it by its name
// ts-unused-exports:disable-next-line
export const mochaHooks = {
  beforeEach(this: Context): void {
    title = this.currentTest?.fullTitle() ?? '';
    drawn = 0;
  },
  afterEach(this: Context): void {
    if (this.currentTest?.state === 'failed') console.error(`      values were drawn with TEST_SEED=${seed}`);
  },
};
