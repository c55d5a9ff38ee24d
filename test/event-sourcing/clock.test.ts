import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { repeat } from '../../src/event-sourcing/clock.js';
import { makeManualClock } from '../support/manual-clock.js';

describe('a sleep', () => {
  it('ends with true when its time is over, and leaves nothing at the signal', async () => {
    const clock = makeManualClock();
    const { signal } = new AbortController();
    let ended: boolean | undefined;
    void clock.sleep(10, signal).then((isOver) => (ended = isOver));
    await clock.advance(9);
    expect(ended).to.equal(undefined);
    await clock.advance(1);
    expect(ended).to.equal(true);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('needs no signal', async () => {
    const clock = makeManualClock();
    const asleep = clock.sleep(10);
    await clock.advance(10);
    expect(await asleep).to.equal(true);
  });

  it('ends with false as soon as the signal comes, and leaves no timer', async () => {
    const clock = makeManualClock();
    const leaving = new AbortController();
    const asleep = clock.sleep(60_000, leaving.signal);
    leaving.abort();
    expect(await asleep).to.equal(false);
    expect(clock.waiting()).to.equal(0);
  });

  it('ends with false at once where the signal was there before', async () => {
    const clock = makeManualClock();
    expect(await clock.sleep(60_000, AbortSignal.abort())).to.equal(false);
    expect(clock.waiting()).to.equal(0);
  });
});

describe('repeating', () => {
  it('runs a task at once, and again so long after it has ended, until the signal comes', async () => {
    const clock = makeManualClock();
    const leaving = new AbortController();
    const began: Array<number> = [];
    const repeating = repeat(clock, 100, leaving.signal, async () => {
      began.push(clock.monotonic());
      await clock.sleep(30);
    });
    await clock.advance(300);
    expect(began).to.deep.equal([0, 130, 260]);
    leaving.abort();
    await clock.advance(30);
    await repeating;
    expect(clock.waiting()).to.equal(0);
  });
});
