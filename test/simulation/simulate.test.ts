import { expect } from 'chai';
import type { Outcome } from './notebook.js';
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
    expect([...counted]).to.include.members([
      ...['is killed', 'is frozen', 'has its clock set', 'is cut off from the log', 'is cut off from the rows'].map(
        (fault) => `a service ${fault}`,
      ),
      ...['an answer of the log is lost', 'an answer of the rows is lost'],
      ...['POST 200', 'POST 503', 'PUT 200', 'PUT 503', 'GET 200'],
    ]);
  });

  it('lives the same life again, to the letter, and another one from another seed', async () => {
    const [first, second] = outcomes;
    expect((await simulate(1)).trace).to.deep.equal(first?.trace);
    expect(second?.trace).not.to.deep.equal(first?.trace);
  });
});
