import { expect } from 'chai';
import { watchWriter } from '../../projections/engine/run/writer-watch.js';
import { makeManualClock } from '../support/manual-clock.js';
import type { ManualClock } from '../support/manual-clock.js';

describe('the watch for a process that writes the live rows', () => {
  let clock: ManualClock;
  let watch: ReturnType<typeof watchWriter>;

  beforeEach(() => {
    clock = makeManualClock();
    watch = watchWriter(clock);
  });

  it('says after ten seconds without one that nobody writes them', async () => {
    watch.note(false);
    await clock.advance(9_999);
    watch.note(false);
    expect(watch.isUnwritten()).to.equal(false);
    await clock.advance(1);
    watch.note(false);
    expect(watch.isUnwritten()).to.equal(true);
  });

  it('counts from the last process that wrote them', async () => {
    watch.note(false);
    await clock.advance(9_000);
    watch.note(true);
    watch.note(false);
    await clock.advance(9_999);
    expect(watch.isUnwritten()).to.equal(false);
    await clock.advance(1);
    watch.note(false);
    expect(watch.isUnwritten()).to.equal(true);
    watch.note(true);
    expect(watch.isUnwritten()).to.equal(false);
  });

  it('says nothing while the database does not answer', async () => {
    watch.note(false);
    await clock.advance(60_000);
    expect(watch.isUnwritten()).to.equal(false);
  });

  it('says nothing before anybody has looked', async () => {
    await clock.advance(60_000);
    expect(watch.isUnwritten()).to.equal(false);
  });
});
