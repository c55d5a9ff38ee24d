import { expect } from 'chai';
import { makeReadiness } from '../../src/infrastructure/readiness.js';

const there = () => Promise.resolve(true);

describe('readiness', () => {
  it('misses nothing when every part answers', async () => {
    expect(await makeReadiness({ log: there, files: there })()).to.deep.equal({ missing: [] });
  });

  it('names the parts that say no, fail or stay silent', async () => {
    const readiness = makeReadiness({
      log: there,
      no: () => Promise.resolve(false),
      failing: () => Promise.reject(new Error('down')),
      silent: () => new Promise(() => undefined),
    });
    expect(await readiness()).to.deep.equal({ missing: ['no', 'failing', 'silent'] });
  });

  it('tells when what is missing has changed, and only then', async () => {
    const answers = [true, false, false, true];
    const told: Array<ReadonlyArray<string>> = [];
    const readiness = makeReadiness({ log: () => Promise.resolve(answers.shift() === true) }, (missing) =>
      told.push(missing),
    );
    for (const _ of [...answers]) await readiness();
    expect(told).to.deep.equal([['log'], []]);
  });

  it('asks once for all who ask at the same time, and again later', async () => {
    let asked = 0;
    const readiness = makeReadiness({ log: () => Promise.resolve(++asked > 1) });
    const together = await Promise.all([readiness(), readiness()]);
    expect([...together, await readiness()]).to.deep.equal([
      { missing: ['log'] },
      { missing: ['log'] },
      { missing: [] },
    ]);
  });
});
