import { expect } from 'chai';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { makeNewestEvent } from '../../../src/infrastructure/postgres/event-log/read/newest-event.js';
import type { Pages } from '../../../src/infrastructure/postgres/event-log/read/pages.js';

const unasked = (): Promise<never> => Promise.reject(new Error('not asked here'));

/** A log with one event at each of these positions, which may be replaced, and what was searched of it. */
const arrange = (positions: ReadonlyArray<Position>) => {
  const log = { positions };
  const searched: Array<readonly [Position, Position]> = [];
  const pages: Pages = {
    head: () => Promise.resolve(log.positions.at(-1) ?? 0n),
    newest: (after, upTo) => {
      searched.push([after, upTo]);
      return Promise.resolve(log.positions.findLast((position) => position > after && position <= upTo));
    },
    log: unasked,
    stream: unasked,
    newestRevision: unasked,
    identity: unasked,
  };
  return { log, searched, newestOf: makeNewestEvent(pages) };
};

describe('the newest event of a log in Postgres', () => {
  it('is looked for only behind what was searched before', async () => {
    const { log, searched, newestOf } = arrange([2n, 9n]);
    expect([await newestOf(), await newestOf()]).to.deep.equal([9n, 9n]);
    log.positions = [2n, 9n, 12n];
    expect(await newestOf()).to.equal(12n);
    expect(searched).to.deep.equal([
      [0n, 9n],
      [9n, 9n],
      [9n, 12n],
    ]);
  });

  it('is that of the log as it is after a restore to an earlier state', async () => {
    const { log, newestOf } = arrange([2n, 9n]);
    await newestOf();
    log.positions = [2n, 4n];
    expect(await newestOf()).to.equal(4n);
    log.positions = [];
    expect(await newestOf()).to.equal(undefined);
  });
});
