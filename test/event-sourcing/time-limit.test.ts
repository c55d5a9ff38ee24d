import { expect } from 'chai';
import { withTimeLimit } from '../../src/event-sourcing/time-limit.js';
import { makeManualClock } from '../support/manual-clock.js';

describe('work with a time limit', () => {
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      // reason: that is what it is aborted with
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });

  it('is aborted when the time is over, and not before', async () => {
    const clock = makeManualClock();
    const failures: Array<unknown> = [];
    void withTimeLimit(clock, 100, untilAborted).catch((error: unknown) => failures.push(error));
    await clock.advance(99);
    expect(failures).to.deep.equal([]);
    await clock.advance(1);
    expect(failures).to.have.length(1);
    expect(failures[0]).to.include({ name: 'TimeoutError', message: 'It took longer than 100 ms' });
  });

  it('gives what comes in time, and leaves no timer', async () => {
    const clock = makeManualClock();
    let given: AbortSignal | undefined;
    const result = await withTimeLimit(clock, 100, (signal) => {
      given = signal;
      return Promise.resolve(clock.waiting());
    });
    await clock.advance(1_000);
    expect([result, clock.waiting(), given?.aborted]).to.deep.equal([1, 0, false]);
  });

  it('leaves no timer of what fails', async () => {
    const clock = makeManualClock();
    const failing = withTimeLimit(clock, 100, () => Promise.reject(new Error('no')));
    expect(await failing.catch((error: unknown) => error)).to.include({ message: 'no' });
    expect(clock.waiting()).to.equal(0);
  });
});
