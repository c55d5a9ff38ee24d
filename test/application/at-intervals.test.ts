import { expect } from 'chai';
import { atIntervals } from '../../src/application/at-intervals.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';

describe('doing something at intervals', () => {
  let clock: ManualClock;
  let stopping: AbortController;
  beforeEach(() => {
    clock = makeManualClock();
    stopping = new AbortController();
  });

  const drawing = (fraction: number): Runtime => ({
    clock,
    random: { ...systemRuntime.random, fraction: () => fraction },
  });

  it('does it again and again, never twice at a time, until it is stopped', async () => {
    const begun: Array<number> = [];
    const task = async (): Promise<void> => {
      begun.push(clock.monotonic());
      await clock.sleep(1_000);
    };
    const ended = atIntervals(drawing(0.5), task, { first: 10, every: 100 }, stopping.signal);
    await clock.advance(2_310);
    stopping.abort();
    await clock.advance(1_000);
    await ended;
    await clock.advance(10_000);
    expect(begun).to.deep.equal([10, 1_110, 2_210]);
  });

  it('ends at once while it waits', async () => {
    let runs = 0;
    const task = () => Promise.resolve((runs += 1));
    const ended = atIntervals(drawing(0), task, { first: 3_600_000, every: 1 }, stopping.signal);
    stopping.abort();
    await ended;
    expect([runs, clock.waiting()]).to.deep.equal([0, 0]);
  });

  it('lets a run that is under way end, and gives it the signal to be brief', async () => {
    let ended = false;
    const task = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended = true;
          resolve();
        });
        setImmediate(() => stopping.abort());
      });
    const all = atIntervals(drawing(0), task, { first: 1, every: 1 }, stopping.signal);
    await clock.advance(1);
    await all;
    expect(ended).to.equal(true);
  });

  for (const [fraction, ms] of [
    [0, 50],
    [0.25, 75],
    [1 - Number.EPSILON, 150],
  ] as const)
    it(`waits half to one and a half of the time, so that processes drift apart: ${ms} ms of 100`, async () => {
      let runs = 0;
      const task = () => Promise.resolve((runs += 1));
      const ended = atIntervals(drawing(fraction), task, { first: 100, every: 3_600_000 }, stopping.signal);
      await clock.advance(ms - 1);
      expect(runs).to.equal(0);
      await clock.advance(1);
      expect(runs).to.equal(1);
      stopping.abort();
      await ended;
    });
});
