import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import { HOLD_MS, makeProgress } from '../../projections/engine/run/progress.js';
import { makeManualClock } from '../support/manual-clock.js';
import type { ManualClock } from '../support/manual-clock.js';

describe('the progress of a read model', () => {
  let clock: ManualClock;

  beforeEach(() => {
    clock = makeManualClock();
  });

  it('ends a wait as soon as its position is reached, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.bigInt(0n, 50n)), fc.bigInt(0n, 50n), async (positions, reached) => {
        const progress = makeProgress(clock, 60_000);
        const ended: Array<bigint> = [];
        const waits = positions.map((position) => progress.waitFor(position).then(() => ended.push(position)));
        progress.advance(reached);
        await new Promise((resolve) => setImmediate(resolve));
        expect([...ended].sort()).to.deep.equal(positions.filter((position) => position <= reached).sort());
        progress.advance(50n);
        await Promise.all(waits);
        expect([ended.length, progress.isAwaited()]).to.deep.equal([positions.length, false]);
      }),
      { numRuns: 50 },
    );
  });

  it('tells who watches of each move, also that its position is void, and hurries nobody', async () => {
    const progress = makeProgress(clock);
    const { signal } = new AbortController();
    const moved = progress.untilMoved(-1n, signal);
    expect(progress.isAwaited()).to.equal(false);
    progress.advance(5n);
    await moved;
    // what moved before it was asked
    await progress.untilMoved(-1n, signal);
    const voided = progress.untilMoved(5n, signal);
    progress.forget();
    await voided;
    expect(progress.reached()).to.equal(-1n);
    const ending = new AbortController();
    const left = progress.untilMoved(-1n, ending.signal);
    ending.abort();
    await left;
  });

  it('tells who rests that somebody waits, at once, and otherwise lets it rest', async () => {
    const progress = makeProgress(clock, 60_000);
    const { signal } = new AbortController();
    let rested = 0;
    const rest = (): Promise<void> => progress.untilAwaited(250, signal).then(() => void (rested += 1));
    const alone = rest();
    await clock.advance(249);
    expect(rested).to.equal(0);
    await clock.advance(1);
    await alone;
    const interrupted = rest();
    void progress.waitFor(1n);
    await interrupted;
    await rest();
    expect(rested).to.equal(3);
    progress.advance(1n);
  });

  it('lags from the moment a wait timed out until its position is reached', async () => {
    const progress = makeProgress(clock, 1);
    progress.advance(4n);
    expect(await progress.waitFor(4n)).to.equal(true);
    expect(progress.isBehind()).to.equal(false);
    const late = Promise.all([progress.waitFor(7n), progress.waitFor(6n)]);
    await clock.advance(1);
    expect(await late).to.deep.equal([false, false]);
    expect([progress.isBehind(), progress.isAwaited()]).to.deep.equal([true, false]);
    progress.advance(6n);
    expect(progress.isBehind()).to.equal(true);
    progress.advance(7n);
    expect(progress.isBehind()).to.equal(false);
  });

  it('lets nobody wait while projecting is interrupted, and everybody again when it resumes', async () => {
    const progress = makeProgress(clock, 60_000);
    const waiting = progress.waitFor(3n);
    progress.suspend();
    expect([await waiting, await progress.waitFor(4n), progress.isBehind()]).to.deep.equal([false, false, true]);
    progress.resume();
    const resumed = progress.waitFor(5n);
    progress.advance(5n);
    expect([await resumed, progress.isBehind()]).to.deep.equal([true, false]);
  });

  it('lets only one write find out that the rows do not advance, and others wait again once they do', async () => {
    const progress = makeProgress(clock, 2_000);
    const first = progress.waitFor(3n);
    await clock.advance(HOLD_MS);
    await clock.advance(2_000 - HOLD_MS);
    expect(await first).to.equal(false);
    const second = progress.waitFor(4n);
    expect(progress.isAwaited()).to.equal(false);
    expect(await second).to.equal(false);
    progress.advance(0n);
    const moved = progress.waitFor(4n);
    progress.advance(4n);
    expect(await moved).to.equal(true);
  });

  it('lets others wait on after one that had less time than rows may take', async () => {
    const progress = makeProgress(clock, 2_000);
    const first = progress.waitFor(3n, clock.monotonic() + 1_999);
    await clock.advance(1_999);
    expect(await first).to.equal(false);
    const second = progress.waitFor(4n);
    expect(progress.isAwaited()).to.equal(true);
    progress.advance(4n);
    expect(await second).to.equal(true);
  });

  it('holds back that a row is late, where others may show old rows, and notes it first', async () => {
    const notes: Array<bigint> = [];
    let ended: boolean | undefined;
    const note = (position: bigint) => Promise.resolve(void notes.push(position));
    const progress = makeProgress(clock, 2_000, { heldMs: HOLD_MS, note });
    progress.suspend();
    const waiting = progress.waitFor(3n).then((isShown) => (ended = isShown));
    expect(notes).to.deep.equal([3n]);
    await clock.advance(HOLD_MS - 1);
    expect(ended).to.equal(undefined);
    await clock.advance(1);
    expect(await waiting).to.equal(false);
  });

  it('lets a row that comes meanwhile end the wait, also of those that are held back', async () => {
    const progress = makeProgress(clock, 60_000, { heldMs: 60_000 });
    const waiting = progress.waitFor(3n);
    progress.suspend();
    progress.advance(3n);
    expect(await waiting).to.equal(true);
  });

  it('notes a row that is late while it waits on, and waits for a note only as long as it may', async () => {
    const notes: Array<bigint> = [];
    const note = (position: bigint) => {
      notes.push(position);
      return new Promise<void>(() => undefined);
    };
    const progress = makeProgress(clock, 2_000, { heldMs: HOLD_MS, note });
    let ended: boolean | undefined;
    const waiting = progress.waitFor(3n).then((isShown) => (ended = isShown));
    await clock.advance(HOLD_MS - 1);
    expect(notes).to.deep.equal([]);
    await clock.advance(1);
    expect(notes).to.deep.equal([3n]);
    await clock.advance(2_000 - HOLD_MS);
    expect(progress.isBehind()).to.equal(true);
    await clock.advance(99);
    expect(ended).to.equal(undefined);
    await clock.advance(1);
    expect([await waiting, notes]).to.deep.equal([false, [3n]]);
  });

  it('ends a wait at once whose note fails', async () => {
    const progress = makeProgress(clock, 2_000, { note: () => Promise.reject(new Error('away')) });
    progress.suspend();
    let isShown: boolean | undefined;
    void progress.waitFor(3n).then((shown) => (isShown = shown));
    await clock.advance(0);
    expect([isShown, clock.waiting()]).to.deep.equal([false, 0]);
  });

  it('leaves no timer and no listener of what has ended', async () => {
    const progress = makeProgress(clock, 2_000);
    const [first, second] = [progress.waitFor(1n), progress.waitFor(2n)];
    progress.advance(1n);
    expect([await first, clock.waiting()]).to.deep.equal([true, 1]);
    await clock.advance(2_000);
    expect([await second, clock.waiting()]).to.deep.equal([false, 0]);
    const { signal } = new AbortController();
    const moved = progress.untilMoved(1n, signal);
    progress.advance(3n);
    await moved;
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
    let isOver = false;
    void progress.untilMoved(3n, AbortSignal.abort()).then(() => (isOver = true));
    await clock.advance(0);
    expect(isOver).to.equal(true);
  });

  it('lets others wait on after one whose time was over though the rows have advanced', async () => {
    const progress = makeProgress(clock, 2_000);
    const first = progress.waitFor(5n);
    await clock.advance(1_000);
    progress.advance(3n);
    await clock.advance(1_000);
    expect(await first).to.equal(false);
    void progress.waitFor(6n);
    expect(progress.isAwaited()).to.equal(true);
    progress.advance(6n);
  });

  it('never goes back', async () => {
    const progress = makeProgress(clock, 1);
    progress.advance(7n);
    progress.advance(3n);
    expect([progress.reached(), progress.isBehind(), await progress.waitFor(7n)]).to.deep.equal([7n, false, true]);
  });

  it('goes back with rows that were put back, and lags until they are as far again', () => {
    const progress = makeProgress(clock);
    progress.advance(5n);
    progress.fallBack(3n);
    expect([progress.reached(), progress.isBehind(), progress.forgotten()]).to.deep.equal([3n, true, 0]);
    progress.fallBack(4n);
    expect(progress.reached()).to.equal(3n);
    progress.advance(5n);
    expect(progress.isBehind()).to.equal(false);
  });

  it('knows nothing any more once it has forgotten, and lets nobody wait', async () => {
    const progress = makeProgress(clock, 60_000);
    progress.advance(7n);
    progress.forget();
    expect([progress.reached(), await progress.waitFor(7n), progress.isBehind()]).to.deep.equal([-1n, false, true]);
    progress.advance(3n);
    expect(progress.reached()).to.equal(3n);
  });
});
