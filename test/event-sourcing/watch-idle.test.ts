import { expect } from 'chai';
import { watchIdle } from '../../src/event-sourcing/watch-idle.js';
import { makeManualClock } from '../support/manual-clock.js';

describe('watching for idleness', () => {
  const watch = () => {
    const clock = makeManualClock();
    const idleAt: Array<number> = [];
    return { clock, idleAt, idle: watchIdle(clock, 100, () => idleAt.push(clock.monotonic())) };
  };

  it('tells it when its time has passed since the last progress, and not before', async () => {
    const { clock, idleAt, idle } = watch();
    await clock.advance(99);
    idle.noteProgress();
    await clock.advance(99);
    expect(idleAt).to.deep.equal([]);
    await clock.advance(1_000);
    expect(idleAt).to.deep.equal([199]);
  });

  it('leaves no timer when it is stopped, whatever progress is noted then', async () => {
    const { clock, idleAt, idle } = watch();
    idle.stop();
    idle.noteProgress();
    expect(clock.waiting()).to.equal(0);
    await clock.advance(1_000);
    expect(idleAt).to.deep.equal([]);
  });
});
