import { expect } from 'chai';
import { gatherKeyed, rememberKeyed, unfolded } from '../../src/event-sourcing/fold.js';

const none = unfolded(undefined).keyed;

describe('the keyed commands that a fold remembers', () => {
  it('are complete from the start as long as they are few', () => {
    const gathering = gatherKeyed(none);
    for (let count = 0; count < 1_024; count++) gathering.add(`command ${count}`, BigInt(2 * count));
    const { since, revisions } = gathering.gathered();
    expect([since, revisions.size, revisions.get('command 700')]).to.deep.equal([0n, 1_024, 1_400n]);
  });

  it('lose their older half when they become too many, and say from where on they are complete', () => {
    const gathering = gatherKeyed(none);
    for (let count = 0; count < 1_025; count++) gathering.add(`command ${count}`, BigInt(2 * count));
    const { since, revisions } = gathering.gathered();
    expect([since, revisions.size]).to.deep.equal([1_024n, 513]);
    expect([revisions.get('command 511'), revisions.get('command 512')]).to.deep.equal([undefined, 1_024n]);
  });

  it('leave what they were made from as it was', () => {
    const before = rememberKeyed(none, 'a', 1n);
    const after = rememberKeyed(before, 'b', 2n);
    expect([[...none.revisions], [...before.revisions], [...after.revisions]]).to.deep.equal([
      [],
      [['a', 1n]],
      [
        ['a', 1n],
        ['b', 2n],
      ],
    ]);
  });
});
