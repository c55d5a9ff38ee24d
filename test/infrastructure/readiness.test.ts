import { expect } from 'chai';
import { makeReadiness, type Readiness } from '../../src/infrastructure/readiness.js';

const there = () => Promise.resolve(true);

describe('readiness', () => {
  it('misses nothing when every part answers', async () => {
    expect(await makeReadiness({ log: there, files: there })()).to.deep.equal({ missing: [], warnings: [] });
  });

  it('names the parts that say no, fail or stay silent', async () => {
    const readiness = makeReadiness({
      log: there,
      no: () => Promise.resolve(false),
      failing: () => Promise.reject(new Error('down')),
      silent: () => new Promise(() => undefined),
    });
    expect(await readiness()).to.deep.equal({ missing: ['no', 'failing', 'silent'], warnings: [] });
  });

  it('warns of what is amiss although every part answers', async () => {
    let isFull = false;
    const warnings = { 'disk full': () => isFull, 'never said': () => false };
    const readiness = makeReadiness({ log: there }, { warnings });
    expect(await readiness()).to.deep.equal({ missing: [], warnings: [] });
    isFull = true;
    expect(await readiness()).to.deep.equal({ missing: [], warnings: ['disk full'] });
  });

  it('tells when what is missing or amiss has changed, and only then', async () => {
    const answers = [true, false, false, true, true, true];
    const conditions = [false, false, false, false, true, true];
    const told: Array<Readiness> = [];
    const readiness = makeReadiness(
      { log: () => Promise.resolve(answers.shift() === true) },
      { warnings: { 'disk full': () => conditions.shift() === true }, onChange: (readiness) => told.push(readiness) },
    );
    for (const _ of [...answers]) await readiness();
    expect(told).to.deep.equal([
      { missing: ['log'], warnings: [] },
      { missing: [], warnings: [] },
      { missing: [], warnings: ['disk full'] },
    ]);
  });

  it('asks once for all who ask at the same time, and again later', async () => {
    let asked = 0;
    const readiness = makeReadiness({ log: () => Promise.resolve(++asked > 1) });
    const together = await Promise.all([readiness(), readiness()]);
    expect([...together, await readiness()]).to.deep.equal([
      { missing: ['log'], warnings: [] },
      { missing: ['log'], warnings: [] },
      { missing: [], warnings: [] },
    ]);
  });
});
