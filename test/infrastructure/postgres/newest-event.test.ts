import { expect } from 'chai';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { makeNewestEvent } from '../../../src/infrastructure/postgres/event-log/read/newest-event.js';
import type { Pages } from '../../../src/infrastructure/postgres/event-log/read/pages.js';

const unasked = (): Promise<never> => Promise.reject(new Error('not asked here'));

/** A log with one event at each of these positions, which may be replaced, what was searched of it,
 * and what is found of a category with few streams. `head` is set where events of other categories follow. */
const arrange = (positions: ReadonlyArray<Position>, few?: { readonly newest: Position | undefined }) => {
  const log: { positions: ReadonlyArray<Position>; head?: Position } = { positions };
  const searched: Array<readonly [Position, Position]> = [];
  const pages: Pages = {
    head: () => Promise.resolve(log.head ?? log.positions.at(-1) ?? 0n),
    newest: (after, upTo) => {
      searched.push([after, upTo]);
      return Promise.resolve(log.positions.findLast((position) => position > after && position <= upTo));
    },
    newestOfFew: () => Promise.resolve(few),
    log: unasked,
    stream: unasked,
    newestRevision: unasked,
    identity: unasked,
  };
  return { log, searched, ...makeNewestEvent(pages) };
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

  it('is not looked for in the whole log when its category has few streams, or none', async () => {
    for (const newest of [undefined, 5n]) {
      const { log, searched, newestOf } = arrange([], { newest });
      log.head = 1_000_000n;
      expect([await newestOf(['document']), await newestOf(['document'])]).to.deep.equal([newest, newest]);
      expect(searched).to.deep.equal([
        [998_000n, 1_000_000n],
        [1_000_000n, 1_000_000n],
      ]);
    }
  });

  it('is found wherever it is when its category has many streams', async () => {
    const { log, newestOf } = arrange([5n]);
    log.head = 1_000_000n;
    expect(await newestOf(['document'])).to.equal(5n);
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
