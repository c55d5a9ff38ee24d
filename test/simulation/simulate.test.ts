import { expect } from 'chai';
import type { Outcome } from './notebook.js';
import { OFTEN } from './seeds/must-occur.js';
import { simulate } from './simulate.js';

const SEEDS = 12;

describe('a cluster whose time, chance and faults come from a seed', function () {
  this.timeout(60_000);
  const outcomes: Array<Outcome> = [];

  for (let seed = 1; seed <= SEEDS; seed += 1)
    it(`keeps its promises, seed ${seed}`, async () => {
      const outcome = await simulate(seed);
      outcomes.push(outcome);
      expect(outcome.broken).to.deep.equal([]);
    });

  it('has met each kind of fault and of answer', () => {
    const counted = new Set(outcomes.flatMap(({ counts }) => Object.keys(counts)));
    expect([...counted]).to.include.members([...OFTEN]);
  });

  it('lives the same life again, to the letter, and another one from another seed', async () => {
    const [first, second] = outcomes;
    expect((await simulate(1)).trace).to.deep.equal(first?.trace);
    expect(second?.trace).not.to.deep.equal(first?.trace);
  });
});
