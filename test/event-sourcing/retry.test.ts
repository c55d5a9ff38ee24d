import { expect } from 'chai';
import { makeRetry } from '../../src/event-sourcing/retry.js';

const quick = { first: 1, longest: 2 };

describe('a retry', () => {
  it('gives as many tries as it has, the first included', async () => {
    const retry = makeRetry({ ...quick, attempts: 3 });
    expect([await retry.again(), await retry.again(), await retry.again()]).to.deep.equal([true, true, false]);
  });

  it('counts from the beginning after progress', async () => {
    const retry = makeRetry({ ...quick, attempts: 2 });
    expect(await retry.again()).to.equal(true);
    retry.reset();
    expect([await retry.again(), await retry.again()]).to.deep.equal([true, false]);
  });

  it('begins no try after its deadline, and does not wait for one', async () => {
    const retry = makeRetry({ first: 60_000, longest: 60_000, until: performance.now() });
    expect(await retry.again()).to.equal(false);
  });

  it('ends when it is told to, in the middle of a pause and before one', async () => {
    const ending = new AbortController();
    const retry = makeRetry({ first: 2 ** 31 - 1, longest: 2 ** 31 - 1, signal: ending.signal });
    const again = retry.again();
    ending.abort();
    expect([await again, await retry.again()]).to.deep.equal([false, false]);
  });
});
