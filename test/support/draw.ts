import * as fc from 'fast-check';

const { TEST_SEED } = process.env;
const seed = TEST_SEED === undefined ? Date.now() % 2 ** 31 : Number(TEST_SEED);
let drawn = 0;

/** One value of an arbitrary, another one each time; the same ones again under the same `TEST_SEED`. */
export const draw = <A>(arbitrary: fc.Arbitrary<A>): A => {
  const [value] = fc.sample(arbitrary, { seed: seed + drawn++, numRuns: 1 });
  // reason: numRuns is 1
  return value as A;
};

afterEach(function () {
  if (this.currentTest?.state === 'failed') console.error(`      values were drawn with TEST_SEED=${seed}`);
});
