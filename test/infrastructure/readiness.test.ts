import { expect } from 'chai';
import { makeReadiness, type Readiness } from '../../src/infrastructure/readiness.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';

const there = () => Promise.resolve(true);

const lacking = (what: string, passes: () => Promise<boolean> = there) => ({ what, passes });

describe('readiness', () => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = makeManualClock();
  });

  it('misses nothing when every check succeeds', async () => {
    expect(await makeReadiness(clock, { log: lacking('event log'), files: lacking('file storage') })()).to.deep.equal({
      checks: { log: 'ok', files: 'ok' },
      missing: [],
      warnings: [],
    });
  });

  it('names the checks that return false, fail or time out', async () => {
    const readiness = makeReadiness(clock, {
      log: lacking('event log'),
      no: lacking('this', () => Promise.resolve(false)),
      failing: lacking('that', () => Promise.reject(new Error('down'))),
      silent: lacking('the other', () => new Promise(() => undefined)),
    });
    const checking = readiness();
    let isAnswered = false;
    void checking.then(() => (isAnswered = true));
    await clock.advance(999);
    expect(isAnswered).to.equal(false);
    await clock.advance(1);
    expect(isAnswered).to.equal(true);
    expect(await checking).to.deep.equal({
      checks: { log: 'ok', no: 'failed', failing: 'failed', silent: 'failed' },
      missing: ['this', 'that', 'the other'],
      warnings: [],
    });
  });

  it('gives the warnings that hold although every check succeeds', async () => {
    let isFull = false;
    const warnings = { 'disk full': () => isFull, 'never said': () => false };
    const readiness = makeReadiness(clock, { log: lacking('event log') }, { warnings });
    expect(await readiness()).to.deep.equal({ checks: { log: 'ok' }, missing: [], warnings: [] });
    isFull = true;
    expect(await readiness()).to.deep.equal({ checks: { log: 'ok' }, missing: [], warnings: ['disk full'] });
  });

  it('reports a change of what is missing or warned of, and nothing else', async () => {
    const answers = [true, false, false, true, true, true];
    const conditions = [false, false, false, false, true, true];
    const changes: Array<Readiness> = [];
    const readiness = makeReadiness(
      clock,
      { log: lacking('event log', () => Promise.resolve(answers.shift() === true)) },
      {
        warnings: { 'disk full': () => conditions.shift() === true },
        onChange: (readiness) => changes.push(readiness),
      },
    );
    for (const _ of [...answers]) await readiness();
    expect(changes).to.deep.equal([
      { checks: { log: 'failed' }, missing: ['event log'], warnings: [] },
      { checks: { log: 'ok' }, missing: [], warnings: [] },
      { checks: { log: 'ok' }, missing: [], warnings: ['disk full'] },
    ]);
  });

  it('checks once for all who ask at the same time, and again later', async () => {
    let checked = 0;
    const readiness = makeReadiness(clock, { log: lacking('event log', () => Promise.resolve(++checked > 1)) });
    const together = await Promise.all([readiness(), readiness()]);
    expect([...together, await readiness()]).to.deep.equal([
      { checks: { log: 'failed' }, missing: ['event log'], warnings: [] },
      { checks: { log: 'failed' }, missing: ['event log'], warnings: [] },
      { checks: { log: 'ok' }, missing: [], warnings: [] },
    ]);
  });
});
