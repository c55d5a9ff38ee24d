import { expect } from 'chai';
import { makeRetry } from '../../src/event-sourcing/retry.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';

const MINUTE = 60_000;

/** Chance gives `fraction` each time. */
const given = (fraction = 0.5) => {
  const clock = makeManualClock();
  return { clock, runtime: { clock, random: { ...systemRuntime.random, fraction: () => fraction } } };
};

/** Asks for further tries one after the other, with time for each pause. */
const tries = async ({ clock, runtime }: ReturnType<typeof given>, policy: object, count: number) => {
  const retry = makeRetry({ runtime, first: 1, longest: 2, ...policy });
  const answers: Array<boolean> = [];
  for (let each = 0; each < count; each += 1) {
    const again = retry.again();
    await clock.advance(2);
    answers.push(await again);
  }
  return answers;
};

describe('a retry', () => {
  it('gives as many tries as it has, the first included', async () => {
    expect(await tries(given(), { attempts: 3 }, 3)).to.deep.equal([true, true, false]);
  });

  it('counts from the beginning after progress', async () => {
    const { clock, runtime } = given();
    const retry = makeRetry({ runtime, first: 1, longest: 2, attempts: 2 });
    const first = retry.again();
    await clock.advance(2);
    expect(await first).to.equal(true);
    retry.reset();
    const second = retry.again();
    await clock.advance(2);
    expect([await second, await retry.again()]).to.deep.equal([true, false]);
  });

  it('begins no pause that would end after its deadline, and one that ends with it', async () => {
    const { clock, runtime } = given();
    const retry = (until: number) => makeRetry({ runtime, first: MINUTE, longest: MINUTE, until }).again();
    expect(await retry(clock.monotonic() + MINUTE / 2 - 1)).to.equal(false);
    expect(clock.waiting()).to.equal(0);
    const again = retry(clock.monotonic() + MINUTE / 2);
    await clock.advance(MINUTE / 2);
    expect(await again).to.equal(true);
  });

  it('ends when it is told to, in the middle of a pause and before one', async () => {
    const { clock, runtime } = given();
    const ending = new AbortController();
    const retry = makeRetry({ runtime, first: MINUTE, longest: MINUTE, signal: ending.signal });
    const again = retry.again();
    ending.abort();
    expect([await again, await retry.again()]).to.deep.equal([false, false]);
    expect(clock.waiting()).to.equal(0);
  });

  it('doubles the bound of its pauses, up to the longest, and draws each pause below it', async () => {
    for (const fraction of [0.25, 0.75]) {
      const { clock, runtime } = given(fraction);
      const retry = makeRetry({ runtime, first: 16, longest: 96 });
      for (const bound of [16, 32, 64, 96, 96]) {
        let isOver = false;
        const again = retry.again().then(() => (isOver = true));
        await clock.advance(fraction * bound - 1);
        expect(isOver).to.equal(false);
        await clock.advance(1);
        expect(isOver).to.equal(true);
        await again;
      }
    }
  });
});
