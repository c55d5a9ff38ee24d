import { expect } from 'chai';
import { type Holder, makeSemaphore } from '../../../src/http/budget/semaphore.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';

type TestHolder = Holder & {
  stalled: number;
  readonly answer: () => void;
  readonly close: () => void;
  readonly cuts: Array<string>;
};

const holder = (stalled = 0): TestHolder => {
  let releases: Array<() => void> = [];
  const onClose: Array<() => void> = [];
  const answer = (): void => {
    const called = releases;
    releases = [];
    for (const release of called) release();
  };
  const close = (): void => {
    isGone = true;
    for (const giveUp of onClose.splice(0)) giveUp();
  };
  const cuts: Array<string> = [];
  let isGone = false;
  return {
    stalled,
    cuts,
    answer,
    stalledFor() {
      return this.stalled;
    },
    cut: (reason) => {
      cuts.push(reason);
      answer();
    },
    onceDone: (release) => void releases.push(release),
    onceClosed: (giveUp) => void onClose.push(giveUp),
    close,
    isGone: () => isGone,
  };
};

describe('a semaphore of the budget', () => {
  let clock: ManualClock;
  let limits: Omit<Parameters<typeof makeSemaphore>[0], 'timeoutMs'>;
  beforeEach(() => {
    clock = makeManualClock();
    limits = { clock, total: 10, maxPerCaller: 10, stalledMs: 50 };
  });

  /** What is said to a claim that waits, and is refused after so many ms. */
  const refusedAfter = async (ms: number, waiting: Promise<boolean>): Promise<void> => {
    let answer: boolean | undefined;
    void waiting.then((isAcquired) => (answer = isAcquired));
    await clock.advance(ms - 1);
    expect(answer).to.equal(undefined);
    await clock.advance(1);
    expect(answer).to.equal(false);
  };

  /** What comes of it without time passing; undefined: it waits. */
  const atOnce = async <A>(awaited: Promise<A>): Promise<A | undefined> => {
    let outcome: A | undefined;
    void awaited.then((given) => (outcome = given));
    await clock.advance(0);
    return outcome;
  };

  it('is granted while there is enough, and again when it is given back', async () => {
    const { acquire } = makeSemaphore({ ...limits, timeoutMs: 50 });
    const [one, other] = [holder(), holder()];
    expect([await atOnce(acquire(one, 'somebody', 6)), await atOnce(acquire(other, 'somebody', 4))]).to.deep.equal([
      true,
      true,
    ]);
    await refusedAfter(50, acquire(holder(), 'somebody', 1));
    one.answer();
    expect(await atOnce(acquire(holder(), 'somebody', 6))).to.equal(true);
    await refusedAfter(50, acquire(holder(), 'somebody', 1));
    expect(clock.waiting()).to.equal(0);
  });

  it('is granted to the first and to the last who asked, by turns', async () => {
    const { acquire } = makeSemaphore(limits);
    const first = holder();
    const waiting = ['a', 'b', 'c', 'd'].map((name) => ({ name, held: holder() }));
    const order: Array<string> = [];
    await atOnce(acquire(first, 'somebody', 10));
    const taking = waiting.map(async ({ name, held }) => {
      await acquire(held, 'somebody', 10);
      order.push(name);
      held.answer();
    });
    await clock.advance(1_999);
    expect(order).to.deep.equal([]);
    first.answer();
    await atOnce(Promise.all(taking));
    expect(order).to.deep.equal(['a', 'd', 'b', 'c']);
  });

  it('is taken from holders that have stalled, as many as wait, and not before', async () => {
    const { acquire } = makeSemaphore(limits);
    const [working, stalled, other] = [holder(0), holder(60), holder(70)];
    await atOnce(
      Promise.all([acquire(working, 'somebody', 4), acquire(stalled, 'somebody', 3), acquire(other, 'somebody', 3)]),
    );
    await clock.advance(60_000);
    expect([...stalled.cuts, ...other.cuts]).to.deep.equal([]);
    expect(await atOnce(acquire(holder(), 'somebody', 2))).to.equal(true);
    expect([working.cuts, [...stalled.cuts, ...other.cuts]]).to.deep.equal([[], ['slow while others wait']]);
  });

  it('is taken from a holder that stalls while another waits, within a tenth of a second', async () => {
    const { acquire } = makeSemaphore(limits);
    const stalling = holder(49);
    await atOnce(acquire(stalling, 'somebody', 10));
    let isAcquired = false;
    void acquire(holder(), 'somebody', 1).then((answer) => (isAcquired = answer));
    stalling.stalled = 50;
    await clock.advance(99);
    expect([isAcquired, stalling.cuts]).to.deep.equal([false, []]);
    await clock.advance(1);
    expect([isAcquired, stalling.cuts]).to.deep.equal([true, ['slow while others wait']]);
    expect(clock.waiting()).to.equal(0);
  });

  it('is left to those whose clients go on', async () => {
    const { acquire } = makeSemaphore({ ...limits, timeoutMs: 400 });
    const going = holder(49);
    await atOnce(acquire(going, 'somebody', 10));
    await refusedAfter(400, acquire(holder(), 'somebody', 1));
    expect(going.cuts).to.deep.equal([]);
  });

  it('is not kept for one that has gone while it waited', async () => {
    const { acquire } = makeSemaphore(limits);
    const [first, gone, next] = [holder(), holder(), holder()];
    await atOnce(acquire(first, 'somebody', 10));
    const [left, right] = [acquire(gone, 'somebody', 10), acquire(next, 'somebody', 10)];
    gone.close();
    first.answer();
    expect([await atOnce(left), await atOnce(right)]).to.deep.equal([false, true]);
  });

  it('is not granted to one that has gone', async () => {
    const { acquire, tryAcquire } = makeSemaphore({ ...limits, timeoutMs: 60_000 });
    const gone = holder();
    gone.close();
    expect([await atOnce(acquire(gone, 'somebody', 1)), tryAcquire(gone, 'somebody')]).to.deep.equal([false, false]);
    await atOnce(acquire(holder(), 'somebody', 10));
    expect(await atOnce(acquire(gone, 'somebody', 1))).to.equal(false);
  });

  it('is refused to the first of those who wait when there are very many', async () => {
    const { acquire } = makeSemaphore({ ...limits, timeoutMs: 60_000 });
    const first = holder();
    await atOnce(acquire(first, 'somebody', 10));
    const waiting = Array.from({ length: 101 }, () => acquire(holder(), 'somebody', 10));
    expect(await atOnce(waiting[0]!)).to.equal(false);
    first.answer();
    expect(await atOnce(waiting[1]!)).to.equal(true);
  });

  it('does not refuse a caller below its maximum, when very many claims of another wait for theirs', async () => {
    const { acquire } = makeSemaphore({ clock, total: 4, timeoutMs: 60_000 });
    const third = holder();
    await atOnce(Promise.all([acquire(holder(), 'greedy', 3), acquire(third, 'third', 1)]));
    const first = acquire(holder(), 'other');
    const waiting = Array.from({ length: 100 }, () => acquire(holder(), 'greedy'));
    expect(await atOnce(waiting[0]!)).to.equal(false);
    third.answer();
    expect(await atOnce(first)).to.equal(true);
  });

  it('is granted whole to who asks for more than there is', async () => {
    const { acquire } = makeSemaphore(limits);
    const large = holder();
    expect(await atOnce(acquire(large, 'somebody', 1_000))).to.equal(true);
    const next = acquire(holder(), 'somebody', 1);
    large.answer();
    expect(await atOnce(next)).to.equal(true);
  });

  it('leaves a quarter to others than the caller who takes all that it gets', async () => {
    const { acquire } = makeSemaphore({ clock, total: 8, timeoutMs: 50 });
    const taken = Array.from({ length: 8 }, () => acquire(holder(), 'greedy'));
    await clock.advance(50);
    expect((await atOnce(Promise.all(taken)))?.filter(Boolean).length).to.equal(6);
    expect([await atOnce(acquire(holder(), 'other')), await atOnce(acquire(holder(), 'third'))]).to.deep.equal([
      true,
      true,
    ]);
    await refusedAfter(50, acquire(holder(), 'fourth'));
  });

  it('counts what is given back for its caller', async () => {
    const { acquire, tryAcquire } = makeSemaphore({ clock, total: 4 });
    const held = holder();
    expect([await atOnce(acquire(held, 'one', 100)), tryAcquire(holder(), 'one')]).to.deep.equal([true, false]);
    const next = acquire(holder(), 'one', 2);
    held.answer();
    expect([await atOnce(next), tryAcquire(holder(), 'one'), tryAcquire(holder(), 'one')]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('is granted to others while a caller waits for its own', async () => {
    const { acquire } = makeSemaphore({ clock, total: 4, timeoutMs: 60_000 });
    const held = holder();
    await atOnce(Promise.all([acquire(held, 'one', 2), acquire(holder(), 'one', 1), acquire(holder(), 'other', 1)]));
    const order: Array<string> = [];
    const waiting = [
      acquire(holder(), 'one', 3).then(() => order.push('one')),
      acquire(holder(), 'other', 2).then(() => order.push('other')),
    ];
    held.answer();
    await atOnce(waiting[1]!);
    expect(order).to.deep.equal(['other']);
  });

  it('is taken from stalled holders of a caller that waits for its own, and from no others', async () => {
    const { acquire } = makeSemaphore({ ...limits, total: 4, maxPerCaller: 2, timeoutMs: 400 });
    const [own, others] = [holder(), holder(60)];
    await atOnce(Promise.all([acquire(own, 'one', 2), acquire(others, 'other', 2)]));
    await refusedAfter(400, acquire(holder(), 'one'));
    expect(others.cuts).to.deep.equal([]);
    own.stalled = 60;
    expect([await atOnce(acquire(holder(), 'one')), own.cuts]).to.deep.equal([true, ['slow while others wait']]);
  });
});
