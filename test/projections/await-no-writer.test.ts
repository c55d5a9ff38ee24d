import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { failureIn } from '../../projections/engine/engine-failure.js';
import type { GenerationState } from '../../projections/engine/generation/generation.js';
import { awaitNoWriter } from '../../projections/engine/rebuild/switch-to.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';

describe('waiting until nobody writes rows of another log', () => {
  let clock: ManualClock;
  let writers: ReadonlyArray<string>;
  let outcome: unknown;

  beforeEach(() => {
    clock = makeManualClock();
    writers = ['another'];
    outcome = 'it waits';
  });

  const wait = (signal: AbortSignal): void => {
    const change: ReadModelStorage['change'] = async (_projection, decide) => {
      await Promise.resolve();
      // reason: nothing else of them is looked at
      decide(writers.map((holder) => ({ role: 'live', holder }) as GenerationState));
      return undefined;
    };
    void awaitNoWriter({ ...systemRuntime, clock }, { change }, businesses, signal).then(
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
