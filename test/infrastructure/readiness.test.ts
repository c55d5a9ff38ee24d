import { expect } from 'chai';
import { makeReadiness, type Readiness } from '../../src/infrastructure/readiness.js';

const there = () => Promise.resolve(true);

describe('readiness', () => {
  it('misses nothing when every check succeeds', async () => {
    expect(await makeReadiness({ log: there, files: there })()).to.deep.equal({ missing: [], warnings: [] });
  });

  it('names the checks that return false, fail or time out', async () => {
    const readiness = makeReadiness({
      log: there,
      no: () => Promise.resolve(false),
      failing: () => Promise.reject(new Error('down')),
      silent: () => new Promise(() => undefined),
    });
    expect(await readiness()).to.deep.equal({ missing: ['no', 'failing', 'silent'], warnings: [] });
  });

  it('gives the warnings that hold although every check succeeds', async () => {
    let isFull = false;
    const warnings = { 'disk full': () => isFull, 'never said': () => false };
    const readiness = makeReadiness({ log: there }, { warnings });
    expect(await readiness()).to.deep.equal({ missing: [], warnings: [] });
    isFull = true;
    expect(await readiness()).to.deep.equal({ missing: [], warnings: ['disk full'] });
  });

  it('reports a change of what is missing or warned of, and nothing else', async () => {
    const answers = [true, false, false, true, true, true];
    const conditions = [false, false, false, false, true, true];
    const changes: Array<Readiness> = [];
    const readiness = makeReadiness(
      { log: () => Promise.resolve(answers.shift() === true) },
      {
        warnings: { 'disk full': () => conditions.shift() === true },
        onChange: (readiness) => changes.push(readiness),
      },
    );
    for (const _ of [...answers]) await readiness();
    expect(changes).to.deep.equal([
      { missing: ['log'], warnings: [] },
      { missing: [], warnings: [] },
      { missing: [], warnings: ['disk full'] },
    ]);
  });

  it('checks once for all who ask at the same time, and again later', async () => {
    let checked = 0;
    const readiness = makeReadiness({ log: () => Promise.resolve(++checked > 1) });
    const together = await Promise.all([readiness(), readiness()]);
    expect([...together, await readiness()]).to.deep.equal([
      { missing: ['log'], warnings: [] },
      { missing: ['log'], warnings: [] },
      { missing: [], warnings: [] },
    ]);
  });
});
