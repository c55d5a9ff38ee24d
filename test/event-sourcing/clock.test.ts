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

describe('the clock of the tests', () => {
  it('runs what is due in order of its time, and together in the order in which it was asked for', async () => {
    const clock = makeManualClock();
    const ran: Array<string> = [];
    const run = (name: string) => () => ran.push(`${name} at ${clock.monotonic()}`);
    clock.every(10, run('every'));
    clock.after(20, run('second'));
    clock.after(20, run('third'));
    clock.after(5, run('first'));
    await clock.advance(20);
    expect(ran).to.deep.equal(['first at 5', 'every at 10', 'every at 20', 'second at 20', 'third at 20']);
  });

  it('lets no time pass until the last turn of the event loop that was asked for is over', async () => {
    const clock = makeManualClock();
    const seen: Array<number> = [];
    const turn = (left: number) => (): void => {
      if (left === 0) seen.push(clock.monotonic());
      else void Promise.resolve().then(() => clock.soon(turn(left - 1)));
    };
    clock.after(10, turn(50));
    const cancel = clock.soon(() => seen.push(-1));
    cancel();
    cancel();
    await clock.advance(1_000);
    expect(seen).to.deep.equal([10]);
  });

  it('goes on although somebody sleeps for no time, again and again', async () => {
    const clock = makeManualClock();
    let naps = 0;
    const cancel = clock.every(0, () => (naps += 1));
    const napping = new AbortController();
    void repeat(clock, 0, napping.signal, () => Promise.resolve((naps += 1)));
    await clock.advance(10);
    cancel();
    napping.abort();
    expect([naps, clock.monotonic()]).to.deep.equal([21, 10]);
  });

  it('never goes back, also where two let time pass at once', async () => {
    const clock = makeManualClock();
    clock.after(1, () => undefined);
    await Promise.all([clock.advance(1), clock.advance(100)]);
    expect(clock.monotonic()).to.equal(101);
  });

  it('tells the time of day that somebody has set, and sleeps no shorter for it', async () => {
    const clock = makeManualClock(new Date(0));
    let isOver = false;
    void clock.sleep(100).then(() => (isOver = true));
    clock.setBy(-5_000);
    await clock.advance(99);
    expect([clock.date().getTime(), isOver]).to.deep.equal([-4_901, false]);
  });
});
