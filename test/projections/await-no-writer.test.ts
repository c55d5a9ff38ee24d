import { expect } from 'chai';
import { failureIn } from '../../projections/engine/engine-failure.js';
import { awaitNoWriter } from '../../projections/engine/rebuild/switch-to.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import type { Database } from '../../src/postgres/pool.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';

describe('waiting until nobody writes rows of another log', () => {
  let clock: ManualClock;
  let writers: ReadonlyArray<{ readonly holder: string }>;
  let outcome: unknown;

  beforeEach(() => {
    clock = makeManualClock();
    writers = [{ holder: 'another' }];
    outcome = 'it waits';
  });

  const wait = (signal: AbortSignal): void => {
    // reason: nothing else of it is used
    const database = { query: () => Promise.resolve({ rows: writers }) } as unknown as Database;
    void awaitNoWriter({ ...systemRuntime, clock }, database, 'businesses', signal).then(
      () => (outcome = 'nobody writes them'),
      (error: unknown) => (outcome = error),
    );
  };

  it('ends when the process that writes them has noticed, or writes none', async () => {
    wait(new AbortController().signal);
    await clock.advance(10_000);
    expect(outcome).to.equal('it waits');
    writers = [];
    await clock.advance(1_000);
    expect(outcome).to.equal('nobody writes them');
  });

  it('is given up after 15 seconds, and says who writes them', async () => {
    wait(new AbortController().signal);
    await clock.advance(14_000);
    expect(outcome).to.equal('it waits');
    await clock.advance(2_000);
    expect(failureIn(outcome, 'NotAllowed')?.message).to.match(/^another writes the rows of "businesses"/);
  });

  it('ends with the reason of the signal', async () => {
    const ending = new AbortController();
    wait(ending.signal);
    await clock.advance(1_000);
    const reason = new Error('stopped by an operator');
    ending.abort(reason);
    await clock.advance(0);
    expect([outcome, clock.waiting()]).to.deep.equal([reason, 0]);
  });
});
