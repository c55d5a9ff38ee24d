import { expect } from 'chai';
import { atIntervals } from '../../src/application/at-intervals.js';

describe('doing something at intervals', () => {
  it('does it again and again, never twice at a time, until it is stopped', async () => {
    const stopping = new AbortController();
    let [running, most, runs] = [0, 0, 0];
    const task = async (): Promise<void> => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if ((runs += 1) === 5) stopping.abort();
    };
    await atIntervals(task, { first: 1, every: 1 }, stopping.signal);
    expect({ running, most, runs }).to.deep.equal({ running: 0, most: 1, runs: 5 });
  });

  it('ends at once while it waits', async () => {
    const stopping = new AbortController();
    let runs = 0;
    const ended = atIntervals(() => Promise.resolve((runs += 1)), { first: 3_600_000, every: 1 }, stopping.signal);
    stopping.abort();
    await ended;
    expect(runs).to.equal(0);
  });

  it('lets a run that is under way end, and gives it the signal to be brief', async () => {
    const stopping = new AbortController();
    let ended = false;
    const task = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended = true;
          resolve();
        });
        setImmediate(() => stopping.abort());
      });
    await atIntervals(task, { first: 1, every: 1 }, stopping.signal);
    expect(ended).to.equal(true);
  });

  it('waits half to one and a half of the time, so that processes drift apart', async () => {
    const stopping = new AbortController();
    const stop = (): Promise<void> => {
      stopping.abort();
      return Promise.resolve();
    };
    const began = performance.now();
    await atIntervals(stop, { first: 100, every: 1 }, stopping.signal);
    // timers may fire a millisecond early
    expect(performance.now() - began).to.be.at.least(49);
  });
});
