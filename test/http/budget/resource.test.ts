import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Holder, makeResource } from '../../../src/http/budget/resource.js';

type TestHolder = Holder & { stalled: number; readonly answer: () => void; readonly cuts: Array<string> };

const holder = (stalled = 0): TestHolder => {
  let releases: Array<() => void> = [];
  const answer = (): void => {
    const called = releases;
    releases = [];
    for (const release of called) release();
  };
  const cuts: Array<string> = [];
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
    onceAnswered: (release) => void releases.push(release),
  };
};

describe('what the process has only so much of', () => {
  const limits = { total: 10, timeoutMs: 5_000, stalledMs: 50 };

  it('is granted while there is enough, and again when it is given back', async () => {
    const { take } = makeResource({ ...limits, timeoutMs: 50 });
    const [one, other] = [holder(), holder()];
    expect([await take(one, 6), await take(other, 4), await take(holder(), 1)]).to.deep.equal([true, true, false]);
    one.answer();
    expect([await take(holder(), 6), await take(holder(), 1)]).to.deep.equal([true, false]);
  });

  it('is granted in the order in which it was asked for, also where a later one would fit', async () => {
    const { take } = makeResource(limits);
    const [first, order] = [holder(), new Array<string>()];
    await take(first, 8);
    const large = take(holder(), 9).then(() => order.push('large'));
    const small = take(holder(), 1).then(() => order.push('small'));
    await delay(20);
    expect(order).to.deep.equal([]);
    first.answer();
    await Promise.all([large, small]);
    expect(order).to.deep.equal(['large', 'small']);
  });

  it('is taken from the holder that has stalled the longest while another waits, and not before', async () => {
    const { take } = makeResource(limits);
    const [working, stalled, longest] = [holder(0), holder(60), holder(70)];
    await Promise.all([take(working, 4), take(stalled, 3), take(longest, 3)]);
    await delay(250);
    expect([...stalled.cuts, ...longest.cuts]).to.deep.equal([]);
    expect(await take(holder(), 2)).to.equal(true);
    expect([working.cuts, stalled.cuts, longest.cuts]).to.deep.equal([[], [], ['slow while others wait']]);
  });

  it('is left to those whose clients go on', async () => {
    const { take } = makeResource({ ...limits, timeoutMs: 400 });
    const going = holder(49);
    await take(going, 10);
    expect([await take(holder(), 1), going.cuts]).to.deep.equal([false, []]);
  });

  it('is not kept for one that has gone while it waited', async () => {
    const { take } = makeResource(limits);
    const [first, gone, next] = [holder(), holder(), holder()];
    await take(first, 10);
    const [left, right] = [take(gone, 10), take(next, 10)];
    gone.answer();
    first.answer();
    expect([await left, await right]).to.deep.equal([false, true]);
  });

  it('is granted whole to who asks for more than there is', async () => {
    const { take } = makeResource(limits);
    const large = holder();
    expect(await take(large, 1_000)).to.equal(true);
    const next = take(holder(), 1);
    large.answer();
    expect(await next).to.equal(true);
  });
});
