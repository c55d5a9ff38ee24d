import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Holder, makeResource } from '../../../src/http/budget/resource.js';

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
    onceAnswered: (release) => void releases.push(release),
    onceClosed: (giveUp) => void onClose.push(giveUp),
    close,
    isGone: () => isGone,
  };
};

describe('what the process has only so much of', () => {
  const limits = { total: 10, share: 10, timeoutMs: 5_000, stalledMs: 50 };

  it('is granted while there is enough, and again when it is given back', async () => {
    const { take } = makeResource({ ...limits, timeoutMs: 50 });
    const [one, other] = [holder(), holder()];
    expect([
      await take(one, 'somebody', 6),
      await take(other, 'somebody', 4),
      await take(holder(), 'somebody', 1),
    ]).to.deep.equal([true, true, false]);
    one.answer();
    expect([await take(holder(), 'somebody', 6), await take(holder(), 'somebody', 1)]).to.deep.equal([true, false]);
  });

  it('is granted to the first and to the last who asked, by turns', async () => {
    const { take } = makeResource(limits);
    const first = holder();
    const waiting = ['a', 'b', 'c', 'd'].map((name) => ({ name, held: holder() }));
    const order: Array<string> = [];
    await take(first, 'somebody', 10);
    const taking = waiting.map(async ({ name, held }) => {
      await take(held, 'somebody', 10);
      order.push(name);
      held.answer();
    });
    await delay(20);
    expect(order).to.deep.equal([]);
    first.answer();
    await Promise.all(taking);
    expect(order).to.deep.equal(['a', 'd', 'b', 'c']);
  });

  it('is taken from holders that have stalled, as many as wait, and not before', async () => {
    const { take } = makeResource(limits);
    const [working, stalled, other] = [holder(0), holder(60), holder(70)];
    await Promise.all([take(working, 'somebody', 4), take(stalled, 'somebody', 3), take(other, 'somebody', 3)]);
    await delay(250);
    expect([...stalled.cuts, ...other.cuts]).to.deep.equal([]);
    expect(await take(holder(), 'somebody', 2)).to.equal(true);
    expect([working.cuts, [...stalled.cuts, ...other.cuts]]).to.deep.equal([[], ['slow while others wait']]);
  });

  it('is left to those whose clients go on', async () => {
    const { take } = makeResource({ ...limits, timeoutMs: 400 });
    const going = holder(49);
    await take(going, 'somebody', 10);
    expect([await take(holder(), 'somebody', 1), going.cuts]).to.deep.equal([false, []]);
  });

  it('is not kept for one that has gone while it waited', async () => {
    const { take } = makeResource(limits);
    const [first, gone, next] = [holder(), holder(), holder()];
    await take(first, 'somebody', 10);
    const [left, right] = [take(gone, 'somebody', 10), take(next, 'somebody', 10)];
    gone.close();
    first.answer();
    expect([await left, await right]).to.deep.equal([false, true]);
  });

  it('is not granted to one that has gone', async () => {
    const { take, takeFree } = makeResource({ ...limits, timeoutMs: 60_000 });
    const gone = holder();
    gone.close();
    expect([await take(gone, 'somebody', 1), takeFree(gone, 'somebody')]).to.deep.equal([false, false]);
    await take(holder(), 'somebody', 10);
    expect(await take(gone, 'somebody', 1)).to.equal(false);
  });

  it('is refused to the first of those who wait when there are very many', async () => {
    const { take } = makeResource({ ...limits, timeoutMs: 60_000 });
    const first = holder();
    await take(first, 'somebody', 10);
    const waiting = Array.from({ length: 101 }, () => take(holder(), 'somebody', 10));
    expect(await waiting[0]).to.equal(false);
    first.answer();
    expect(await waiting[1]).to.equal(true);
  });

  it('is not refused to one who has its share to come, when very many of another caller wait for theirs', async () => {
    const { take } = makeResource({ total: 4, timeoutMs: 60_000 });
    const third = holder();
    await Promise.all([take(holder(), 'greedy', 3), take(third, 'third', 1)]);
    const first = take(holder(), 'other');
    const waiting = Array.from({ length: 100 }, () => take(holder(), 'greedy'));
    expect(await waiting[0]).to.equal(false);
    third.answer();
    expect(await first).to.equal(true);
  });

  it('is granted whole to who asks for more than there is', async () => {
    const { take } = makeResource(limits);
    const large = holder();
    expect(await take(large, 'somebody', 1_000)).to.equal(true);
    const next = take(holder(), 'somebody', 1);
    large.answer();
    expect(await next).to.equal(true);
  });

  it('leaves a quarter to others than the caller who takes all that it gets', async () => {
    const { take } = makeResource({ total: 8, timeoutMs: 50 });
    const taken = Array.from({ length: 8 }, () => take(holder(), 'greedy'));
    expect((await Promise.all(taken)).filter(Boolean).length).to.equal(6);
    expect([await take(holder(), 'other'), await take(holder(), 'third')]).to.deep.equal([true, true]);
    expect(await take(holder(), 'fourth')).to.equal(false);
  });

  it('is given back to the share of its caller', async () => {
    const { take, takeFree } = makeResource({ total: 4 });
    const held = holder();
    expect([await take(held, 'one', 100), takeFree(holder(), 'one')]).to.deep.equal([true, false]);
    const next = take(holder(), 'one', 2);
    held.answer();
    expect([await next, takeFree(holder(), 'one'), takeFree(holder(), 'one')]).to.deep.equal([true, true, false]);
  });

  it('is granted to others while a caller waits for its own', async () => {
    const { take } = makeResource({ total: 4, timeoutMs: 60_000 });
    const held = holder();
    await Promise.all([take(held, 'one', 2), take(holder(), 'one', 1), take(holder(), 'other', 1)]);
    const order: Array<string> = [];
    const waiting = [
      take(holder(), 'one', 3).then(() => order.push('one')),
      take(holder(), 'other', 2).then(() => order.push('other')),
    ];
    held.answer();
    await waiting[1];
    expect(order).to.deep.equal(['other']);
  });

  it('is taken from stalled holders of a caller that waits for its own, and from no others', async () => {
    const { take } = makeResource({ ...limits, total: 4, share: 2, timeoutMs: 400 });
    const [own, others] = [holder(), holder(60)];
    await Promise.all([take(own, 'one', 2), take(others, 'other', 2)]);
    expect([await take(holder(), 'one'), others.cuts]).to.deep.equal([false, []]);
    own.stalled = 60;
    expect([await take(holder(), 'one'), own.cuts]).to.deep.equal([true, ['slow while others wait']]);
  });
});
