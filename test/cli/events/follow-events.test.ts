import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { followEvents } from '../../../src/cli/events/follow-events.js';
import type { LedgerFilter, LedgerPageRequest, LedgerRow } from '../../../src/read/ledger.js';
import { ledgerRow, queriesOver } from '../../support/in-memory-ledger.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';

let clock: ManualClock;

const away = E.left({ _tag: 'ReadModelUnavailable' as const, cause: new Error('away') });

/** A ledger that another process writes, and what is read of it. */
const aLedger = (count: number) => {
  const rows: Array<LedgerRow> = [];
  const append = (more: number, user = 'ann', padding = ''): void => {
    for (let n = 0; n < more; n += 1) rows.push(ledgerRow(rows.length, { user, padding }));
  };
  append(count);
  const queries = queriesOver(() => Promise.resolve([...rows]));
  const pages: Array<LedgerPageRequest> = [];
  const readBehind: Array<bigint> = [];
  let isAway = (): boolean => false;
  return {
    append,
    pages,
    readBehind,
    goAway: (whether: () => boolean) => (isAway = whether),
    queries: {
      page: async (request: LedgerPageRequest) => {
        pages.push(request);
        return isAway() ? away : queries.page(request);
      },
      rowsAfter: async (index: bigint, limit: number) => {
        readBehind.push(index);
        return isAway() ? away : queries.rowsAfter(index, limit);
      },
    },
  };
};

type Options = { after?: number; filter?: LedgerFilter; takes?: () => Promise<boolean> };

const follow = (
  { queries }: ReturnType<typeof aLedger>,
  { after, filter = {}, takes = () => Promise.resolve(true) }: Options = {},
) => {
  const shown: Array<number> = [];
  const notes: Array<string> = [];
  const stopping = new AbortController();
  const show = async (entries: ReadonlyArray<{ readonly index: bigint }>): Promise<boolean> => {
    for (const { index } of entries) shown.push(Number(index));
    return takes();
  };
  const ended = followEvents(
    { clock, queries, show, note: (text) => notes.push(text) },
    { filter, after: after === undefined ? undefined : BigInt(after) },
    stopping.signal,
  );
  const stop = (): Promise<number> => {
    stopping.abort();
    return ended;
  };
  return { shown, notes, ended, stop };
};

const MANY_TURNS = 100;

/** Half a second after the other, until it holds. */
const until = async (holds: () => boolean): Promise<boolean> => {
  for (let turns = 0; turns < MANY_TURNS && !holds(); turns += 1) await clock.advance(500);
  return holds();
};

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);

describe('following events', () => {
  beforeEach(() => {
    clock = makeManualClock();
  });

  it('searches what was there once, also where none of it is wanted, and reads on behind it', async () => {
    const ledger = aLedger(3);
    const { shown, stop } = follow(ledger, { filter: { user: 'bob' } });
    await until(() => ledger.readBehind.length >= 3);
    const searched = ledger.pages.filter(({ direction }) => direction === 'forwards');
    expect(searched).to.have.length(1);
    expect(new Set(ledger.readBehind)).to.deep.equal(new Set([2n]));
    ledger.append(1, 'bob');
    await until(() => shown.length > 0);
    expect([shown, await stop()]).to.deep.equal([[3], 0]);
    expect(ledger.pages.filter(({ direction }) => direction === 'forwards')).to.deep.equal(searched);
  });

  it('goes on when the database is away for a while, and says so once', async () => {
    const ledger = aLedger(2);
    const { shown, notes, stop } = follow(ledger);
    await until(() => shown.length === 2 && ledger.readBehind.length > 0);
    ledger.goAway(() => true);
    const before = ledger.readBehind.length;
    await until(() => ledger.readBehind.length >= before + 2);
    ledger.append(1);
    ledger.goAway(() => false);
    await until(() => shown.length >= 3);
    expect([shown, notes, await stop()]).to.deep.equal([[0, 1, 2], ['away; trying again'], 0]);
  });

  it('goes on also where what was there had not been shown to its end', async () => {
    const ledger = aLedger(600);
    let failures = 2;
    // the first page is read, the second is not, and neither is the end when it is asked for then
    ledger.goAway(() => ledger.pages.length > 2 && failures-- > 0);
    const { shown, notes, stop } = follow(ledger);
    await until(() => shown.length >= 600);
    ledger.append(1);
    await until(() => shown.length >= 601);
    expect([shown, notes, await stop()]).to.deep.equal([upTo(601), ['away; trying again'], 0]);
  });

  it('fails with what the database fails with at first', async () => {
    for (const read of [0, 1]) {
      const ledger = aLedger(2);
      ledger.goAway(() => ledger.pages.length > read);
      const { ended, notes } = follow(ledger);
      const failure: unknown = await ended.catch((error: unknown) => error);
      expect(failure).to.be.an('error').with.property('message', 'away');
      expect(notes).to.deep.equal([]);
    }
  });

  it('gives whoever takes them slowly all events, each once', async () => {
    const ledger = aLedger(1);
    let free = (): void => undefined;
    let taken = Promise.resolve();
    const { shown, stop } = follow(ledger, { takes: () => taken.then(() => true) });
    await until(() => ledger.readBehind.length > 1);
    taken = new Promise((resolve) => (free = resolve));
    for (const size of [1, 2, 3]) {
      const { length } = ledger.readBehind;
      ledger.append(1, 'ann', 'x'.repeat(size * 400_000));
      await until(() => ledger.readBehind.length > length);
    }
    // more than may wait for it: nothing is read for it until it has taken what it was given
    ledger.append(1);
    const { length } = ledger.readBehind;
    await clock.advance(60_000);
    expect(ledger.readBehind).to.have.length(length);
    free();
    await until(() => shown.length >= 5);
    ledger.append(1);
    await until(() => shown.length >= 6);
    expect([shown, await stop()]).to.deep.equal([upTo(6), 0]);
  });

  it('ends when nobody reads them, and reads no further', async () => {
    const ledger = aLedger(2);
    const { ended, shown } = follow(ledger, { takes: () => Promise.resolve(false) });
    expect([await ended, shown.length]).to.deep.equal([0, 2]);
    const { length } = ledger.readBehind;
    ledger.append(1);
    await clock.advance(60_000);
    expect(ledger.readBehind).to.have.length(length);
  });

  it('does not wait behind an event that there is not', async () => {
    expect(await follow(aLedger(2), { after: 2 }).ended).to.equal(1);
  });
});
