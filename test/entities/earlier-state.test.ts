import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { businessUseCases } from '../../src/application/business/use-cases.js';
import { restoreBusiness } from '../../src/application/business/undo-business.js';
import { makeEarlierState } from '../../src/entities/earlier-state.js';
import type { History } from '../../src/read/history.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';
import { from } from '../support/use-cases.js';

/** Within which a request is answered, ms. */
const ANSWER_MS = 2_800;

describe('an earlier state, and what is done with it', () => {
  const clock = makeManualClock();

  /** A history whose pages come one after the other, each after so many ms. */
  const pagesAfter = (...pages: ReadonlyArray<number>): Pick<History<string>, 'stateAsOf'> => ({
    stateAsOf: async (_id, _asOf, admitPage) => {
      await admitPage();
      for (const ms of pages) {
        await clock.advance(ms);
        await admitPage();
      }
      return E.right(O.none);
    },
  });

  const leftAfter = async (...pages: ReadonlyArray<number>): Promise<number> => {
    const earlier = makeEarlierState(clock, pagesAfter(...pages));
    const found = await earlier('b1', 3n, () => Promise.resolve(true));
    return E.isRight(found) ? found.right.until - clock.monotonic() : -1;
  };

  it('have the time of one answer together', async () => {
    expect(await leftAfter(1_000)).to.equal(ANSWER_MS - 1_000);
    expect(await leftAfter()).to.equal(ANSWER_MS);
  });

  it('have as much of it left after a long history as after its first page', async () => {
    expect(await leftAfter(1_000, 2_000, 2_000)).to.equal(ANSWER_MS - 1_000);
  });

  it('go on within it', async () => {
    const dues: Array<number | undefined> = [];
    const { undo } = businessUseCases(systemRuntime.random, (_call, until) => {
      dues.push(until);
      return Promise.resolve(E.left({ _tag: 'BusinessNotFound' }));
    });
    await undo(from('POST /business/b1/restore'), 'b1', restoreBusiness, 4_711);
    expect(dues).to.deep.equal([4_711]);
  });
});
