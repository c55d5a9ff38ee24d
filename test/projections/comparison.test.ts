import { expect } from 'chai';
import { FRESH_MS, makeComparison } from '../../projections/engine/run/comparison.js';
import { HOLD_MS } from '../../projections/engine/run/progress.js';
import { makeManualClock } from '../support/manual-clock.js';

const START = Date.parse('2026-01-02T03:04:05.678Z');

/** A comparison whose clock and rows stand where the test puts them. */
const given = () => {
  const clock = makeManualClock(new Date(START));
  const at = { reached: -1n };
  const comparison = makeComparison(clock, () => at.reached);
  const poll = async (position: bigint, took = 0): Promise<void> => {
    const asked = comparison.ask();
    await clock.advance(took);
    comparison.answer(asked, position);
  };
  return { at, clock, comparison, poll };
};

describe('the comparison of rows with the head of the log', () => {
  it('is unsure before there was one, and says nothing of a time', () => {
    const { comparison } = given();
    expect([comparison.freshness(), comparison.shownUntil()]).to.deep.equal(['Unsure', undefined]);
  });

  it('holds for its time from when the head was asked for, however late it came', async () => {
    const { at, clock, comparison, poll } = given();
    at.reached = 5n;
    await poll(5n, 100);
    expect(comparison.freshness()).to.equal('Fresh');
    await clock.advance(FRESH_MS - 101);
    expect(comparison.freshness()).to.equal('Fresh');
    await clock.advance(1);
    expect(comparison.freshness()).to.equal('Unsure');
    expect(comparison.shownUntil()?.getTime()).to.equal(START);
    // a process that stood still while the head came
    await poll(5n, FRESH_MS);
    expect(comparison.freshness()).to.equal('Unsure');
  });

  it('finds rows behind as long as they lack every head of its time, and fresh by the newest that they show', async () => {
    const { at, clock, comparison, poll } = given();
    await poll(5n);
    expect(comparison.freshness()).to.equal('Behind');
    await clock.advance(500);
    await poll(6n);
    at.reached = 5n;
    expect(comparison.freshness()).to.equal('Fresh');
    await clock.advance(FRESH_MS - 500);
    expect(comparison.freshness()).to.equal('Behind');
    at.reached = 6n;
    expect(comparison.freshness()).to.equal('Fresh');
    expect(comparison.shownUntil()?.getTime()).to.equal(START + 500);
  });

  it('remembers few heads of rows that stand still, and what they have shown', async () => {
    const { at, clock, comparison, poll } = given();
    at.reached = 0n;
    await poll(0n);
    for (let position = 1n; position <= 1_000n; position += 1n) {
      await clock.advance(500);
      await poll(position);
    }
    expect(comparison.freshness()).to.equal('Behind');
    expect(comparison.shownUntil()?.getTime()).to.equal(START);
    at.reached = 1_000n;
    expect(comparison.freshness()).to.equal('Fresh');
  });

  it('knows nothing any more once it has forgotten', async () => {
    const { at, comparison, poll } = given();
    at.reached = 5n;
    await poll(5n);
    comparison.forget();
    expect([comparison.freshness(), comparison.shownUntil()]).to.deep.equal(['Unsure', undefined]);
  });

  it('is over before others answer what the rows lack', () => {
    expect(FRESH_MS).to.be.lessThan(HOLD_MS);
  });
});
