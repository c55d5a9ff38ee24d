import { expect } from 'chai';
import type { Lease } from '../../projections/engine/generation/lease.js';
import { whileHeld } from '../../projections/engine/generation/while-held.js';
import { releaseLease } from '../../projections/engine/postgres/leases.js';
import type { Database } from '../../src/postgres/pool.js';
import { makeManualClock } from '../support/manual-clock.js';

const lease: Lease = { name: 'businesses_1', holder: 'one', fencing: '1' };

describe('the right to write rows, and its database', () => {
  /** A database that does this with each statement. */
  const database = (query: () => Promise<unknown>): Database =>
    // reason: nothing else of it is used
    ({ query }) as unknown as Database;

  const renewed = () => Promise.resolve(lease);
  const fault = new TypeError('not a function');
  const away = Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' });

  /** Why it is given up, after a while; undefined: it is not. */
  const givenUpFor = (acquire: () => Promise<Lease>): Promise<unknown> => {
    const clock = makeManualClock();
    return whileHeld(clock, { acquire }, lease, new AbortController().signal, async (held) => {
      await clock.advance(10_000);
      return held.reason as unknown;
    });
  };

  it('is given up by a fault of the program, and not by one of the database', async () => {
    expect(await givenUpFor(renewed)).to.equal(undefined);
    expect(await givenUpFor(() => Promise.reject(away))).to.equal(undefined);
    expect(await givenUpFor(() => Promise.reject(fault))).to.equal(fault);
  });

  it('is renewed no more when the work is done, whose end waits for the last renewal', async () => {
    const clock = makeManualClock();
    let renewals = 0;
    let finish = (): void => undefined;
    const acquire = (): Promise<Lease> => {
      renewals += 1;
      return new Promise((resolve) => (finish = () => resolve(lease)));
    };
    let isOver = false;
    const holding = whileHeld(clock, { acquire }, lease, new AbortController().signal, () => Promise.resolve());
    void holding.then(() => (isOver = true));
    await clock.advance(0);
    expect([isOver, renewals]).to.deep.equal([false, 1]);
    finish();
    await holding;
    await clock.advance(10_000);
    expect([renewals, clock.waiting()]).to.deep.equal([1, 0]);
  });

  it('ends by itself where it cannot be given back', async () => {
    await releaseLease(
      database(() => Promise.reject(away)),
      lease,
    );
    const release = releaseLease(
      database(() => Promise.reject(fault)),
      lease,
    );
    expect(await release.catch((error: unknown) => error)).to.equal(fault);
  });
});
