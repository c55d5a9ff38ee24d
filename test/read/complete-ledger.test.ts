import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { problemOf } from '../../src/http/problem/problem-of.js';
import { makeCompleteLedger } from '../../src/read/complete-ledger.js';
import type { LedgerQueries } from '../../src/read/ledger.js';
import { makeManualClock } from '../support/manual-clock.js';

const page: Awaited<ReturnType<LedgerQueries['page']>> = E.right({
  entries: [{ index: 7n, body: '{}' }],
  isLast: true,
});

const request = { filter: {}, after: undefined, direction: 'forwards', limit: 1 } as const;

type Head = E.Either<StoreUnavailable, bigint | undefined>;

/** A ledger that has come as far as `reached`, and is given no time. */
const ledgerAt = (reached: bigint, head: Head) => {
  const clock = makeManualClock();
  const asked: Array<ReadonlyArray<string>> = [];
  const until: Array<number> = [];
  const ledger = makeCompleteLedger({
    clock,
    store: {
      head: (categories = []) => {
        asked.push(categories);
        return Promise.resolve(head);
      },
    },
    categories: ['business', 'document'],
    waitFor: (position, deadline) => {
      until.push(deadline);
      return Promise.resolve(position <= reached);
    },
    queries: { page: () => Promise.resolve(page) },
  });
  return { ledger, asked, clock, until };
};

describe('the ledger as its readers have it', () => {
  it('answers once it shows the newest event of its categories, and when there is none', async () => {
    const { ledger, asked } = ledgerAt(5n, E.right(5n));
    expect(await ledger.page(request)).to.equal(page);
    expect(asked).to.deep.equal([['business', 'document']]);
    expect(await ledgerAt(-1n, E.right(undefined)).ledger.page(request)).to.equal(page);
  });

  it('waits for it until an answer is due', async () => {
    const { ledger, clock, until } = ledgerAt(5n, E.right(5n));
    await clock.advance(10_000);
    await ledger.page(request);
    expect(until).to.deep.equal([12_800]);
  });

  it('is a failure of its own while it lacks an event, which a program can tell from others', async () => {
    const behind = await ledgerAt(5n, E.right(6n)).ledger.page(request);
    expect(behind).to.deep.equal(E.left({ _tag: 'LedgerBehind' }));
    expect(problemOf({ _tag: 'LedgerBehind' })).to.include({ status: 503, code: 'ledger_behind' });
  });

  it('is a failure while the log is away; a reading that has begun goes on', async () => {
    const away = E.left(new StoreUnavailable('away'));
    const { ledger } = ledgerAt(5n, away);
    expect(await ledger.page(request)).to.equal(away);
    expect(await ledger.nextPage(request)).to.equal(page);
  });
});
