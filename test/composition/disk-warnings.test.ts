import { expect } from 'chai';
import pg from 'pg';
import { watchFullDisks } from '../../src/composition/disk-warnings.js';
import { makeMetrics } from '../../src/infrastructure/metrics/metrics.js';
import { makeManualClock } from '../support/manual-clock.js';

describe('warnings of full disks', () => {
  const disk = (isFull: () => boolean) => ({ isFull, free: () => 1_000 });

  /** Which are given now, and what is told of the engine; `files`: whether that disk is full, if it is of this machine. */
  const watch = (isDatabaseFull: () => boolean, files?: boolean) => {
    const storage = files === undefined ? {} : { space: disk(() => files) };
    const metrics = makeMetrics(makeManualClock());
    const { warnings, onEngineEvent } = watchFullDisks(metrics, { space: disk(isDatabaseFull), storage });
    const isGiven = () => Object.entries(warnings).map(([text, given]) => [text, given()]);
    return { isGiven, onEngineEvent };
  };

  it('are given of the disk of the database, and of that of files where it is of this machine', () => {
    let isFull = false;
    expect(watch(() => isFull, true).isGiven()).to.deep.equal([
      ['disk full: database', false],
      ['disk full: files', true],
    ]);
    const { isGiven } = watch(() => isFull);
    expect(isGiven()).to.deep.equal([['disk full: database', false]]);
    isFull = true;
    expect(isGiven()).to.deep.equal([['disk full: database', true]]);
  });

  it('are given where rows cannot be stored for want of space, until they are projected again', () => {
    const { isGiven, onEngineEvent } = watch(() => false);
    const cause = Object.assign(new pg.DatabaseError('could not extend file', 6, 'error'), { code: '53100' });
    onEngineEvent({ _tag: 'Interrupted', projection: 'businesses', cause });
    expect(isGiven()).to.deep.equal([['disk full: database', true]]);
    onEngineEvent({ _tag: 'Projecting', projection: 'businesses', generation: 'businesses_1', role: 'live' });
    expect(isGiven()).to.deep.equal([['disk full: database', false]]);
  });
});
