import { expect } from 'chai';
import { watchWriter } from '../../projections/engine/run/writer-watch.js';

describe('the watch for a process that writes the live rows', () => {
  let now: number;
  let watch: ReturnType<typeof watchWriter>;

  beforeEach(() => {
    now = 1_000;
    watch = watchWriter(() => now);
  });

  it('says after ten seconds without one that nobody writes them', () => {
    watch.note(false);
    now += 9_999;
    watch.note(false);
    expect(watch.isUnwritten()).to.equal(false);
    now += 1;
    watch.note(false);
    expect(watch.isUnwritten()).to.equal(true);
  });

  it('counts from the last process that wrote them', () => {
    watch.note(false);
    now += 9_000;
    watch.note(true);
    watch.note(false);
    now += 9_999;
    expect(watch.isUnwritten()).to.equal(false);
    now += 1;
    watch.note(false);
    expect(watch.isUnwritten()).to.equal(true);
    watch.note(true);
    expect(watch.isUnwritten()).to.equal(false);
  });

  it('says nothing while the database does not answer', () => {
    watch.note(false);
    now += 60_000;
    expect(watch.isUnwritten()).to.equal(false);
  });

  it('says nothing before anybody has looked', () => {
    now += 60_000;
    expect(watch.isUnwritten()).to.equal(false);
  });
});
