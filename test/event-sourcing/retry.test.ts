import { mock } from 'node:test';
import { expect } from 'chai';
import { makeRetry } from '../../src/event-sourcing/retry.js';

const quick = { first: 1, longest: 2 };

describe('a retry', () => {
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

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

  it('begins no pause that would end after its deadline', async () => {
    mock.method(Math, 'random', () => 0.5);
    const retry = makeRetry({ first: 60_000, longest: 60_000, until: performance.now() + 10_000 });
    expect(await retry.again()).to.equal(false);
  });

  it('doubles the bound of its pauses, up to the longest', async () => {
    mock.method(Math, 'random', () => 1);
    mock.timers.enable({ apis: ['setTimeout'] });
    const retry = makeRetry({ first: 10, longest: 60 });
    for (const bound of [10, 20, 40, 60, 60]) {
      let isOver = false;
      const again = retry.again().then(() => (isOver = true));
      mock.timers.tick(bound - 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(isOver).to.equal(false);
      mock.timers.tick(1);
      await again;
    }
  });
});
