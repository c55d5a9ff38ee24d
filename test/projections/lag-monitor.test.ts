import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeComparison } from '../../projections/engine/run/comparison.js';
import { monitorLag } from '../../projections/engine/run/lag-monitor.js';
import { makeProgress } from '../../projections/engine/run/progress.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { makeManualClock } from '../support/manual-clock.js';

type Head = Awaited<ReturnType<EventStore['head']>>;

/** A monitor of rows up to position 5, over a log that gives its head when the test lets it. */
const given = ({ isLacking = (): boolean => false, refresh = (): void => undefined } = {}) => {
  const manual = makeManualClock();
  let haltedMs = 0;
  const clock = { ...manual, monotonic: () => manual.monotonic() + haltedMs };
  /** The process stands still: nothing of it runs, and then it is later. */
  const halt = (ms: number): void => void (haltedMs += ms);
  const progress = makeProgress(clock);
  progress.advance(5n);
  const comparison = makeComparison(clock, progress.reached);
  const asked: Array<(head: Head) => void> = [];
  const store = { head: () => new Promise<Head>((resolve) => asked.push(resolve)) };
  const stopping = new AbortController();
  const { signal } = stopping;
  // reason: of a log, only the head is asked for
  const deps = { clock, store: store as EventStore, categories: [], progress, isLacking, comparison, refresh };
  const { compare } = monitorLag(deps, signal);
  let compared = 0;
  const begin = (): void => void compare().then(() => (compared += 1));
  return { clock, halt, comparison, asked, begin, compared: () => compared, stop: () => stopping.abort() };
};

describe('rows that are compared with the log when somebody asks', () => {
  it('are compared once for all who ask at the same time', async () => {
    const { clock, comparison, asked, begin, compared, stop } = given();
    // the process stood still since it looked at first
    asked.shift()?.(E.right(5n));
    await clock.advance(2_000);
    asked.splice(0);
    expect(comparison.freshness()).to.equal('Unsure');
    for (let i = 0; i < 3; i += 1) begin();
    await clock.advance(299);
    expect([asked.length, compared()]).to.deep.equal([1, 0]);
    asked[0]?.(E.right(6n));
    await clock.advance(0);
    expect([comparison.freshness(), compared()]).to.deep.equal(['Behind', 3]);
    stop();
  });

  it('are read anew while the log is away where they may lack what was answered or shown, and only there', async () => {
    for (const isLacking of [false, true]) {
      let refreshed = 0;
      const { clock, asked, stop } = given({ isLacking: () => isLacking, refresh: () => void (refreshed += 1) });
      asked[0]?.(E.left(new StoreUnavailable('away')));
      await clock.advance(0);
      expect(refreshed).to.equal(isLacking ? 1 : 0);
      stop();
    }
  });

  it('are left as they are by a log that is silent for 0.3 s, and the next who asks does not wait for that', async () => {
    const { clock, comparison, asked, begin, compared, stop } = given();
    await clock.advance(400);
    asked.splice(0);
    begin();
    await clock.advance(300);
    expect([comparison.freshness(), compared()]).to.deep.equal(['Unsure', 1]);
    begin();
    expect(asked.length).to.be.at.least(2);
    asked.at(-1)?.(E.right(5n));
    await clock.advance(0);
    expect([comparison.freshness(), compared()]).to.deep.equal(['Fresh', 2]);
    stop();
  });

  it('are compared once more by a process that stood still while it waited for the log', async () => {
    const { clock, halt, comparison, asked, begin, compared, stop } = given();
    await clock.advance(0);
    asked.splice(0);
    begin();
    halt(2_000);
    // the head of before: another process has answered a write since
    asked.shift()?.(E.right(5n));
    await clock.advance(0);
    expect([comparison.freshness(), asked.length, compared()]).to.deep.equal(['Unsure', 1, 0]);
    asked[0]?.(E.right(6n));
    await clock.advance(0);
    expect([comparison.freshness(), compared()]).to.deep.equal(['Behind', 1]);
    stop();
  });
});
