import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeProgress } from '../../projections/engine/run/progress.js';
import { type Feed, type FeedPart, type LedgerFeed, makeLedgerFeed } from '../../src/read/ledger-feed.js';
import { makeLedgerTail } from '../../src/read/ledger-tail.js';
import type { LedgerFilter, LedgerPageRequest, LedgerRow } from '../../src/read/ledger.js';
import { ledgerRow, queriesOver } from '../support/in-memory-ledger.js';
import { makeManualClock } from '../support/manual-clock.js';

const HOUR = 3_600_000;

/** The feeds of the ledgers of one test, which end with it. */
const feeds: Array<LedgerFeed> = [];

/** In this time whatever needs no time is done, however much there is of it: it is not waited for longer. */
const ENOUGH_TURNS = 2_000;

/** Lets all that waits for no time be done, until it is so. */
const turnsUntil = async (isSo: () => boolean): Promise<void> => {
  for (let turns = 0; turns < ENOUGH_TURNS && !isSo(); turns += 1) await turn();
};

const unreadable = E.left({ _tag: 'ReadModelUnavailable' as const, cause: 'away' });

/** A ledger to which the test appends, and what was asked of it. */
const aLedger = () => {
  const clock = makeManualClock();
  const rows: Array<LedgerRow> = [];
  const progress = makeProgress(clock);
  const asked = { pages: 0, rows: 0 };
  /** What is done while a page is read, before it is answered. */
  let onPage = (): Promise<unknown> => Promise.resolve();
  /** The same of the rows that come. */
  let onRows = (): void => undefined;
  let isAway = false;
  /** How many of the next questions for the rows that come are not answered. */
  let refused = 0;
  const queries = queriesOver(() => Promise.resolve([...rows]));
  const page = async (request: LedgerPageRequest) => {
    asked.pages += 1;
    const found = await queries.page(request);
    await onPage();
    return isAway ? unreadable : found;
  };
  const rowsAfter: typeof queries.rowsAfter = async (...range) => {
    asked.rows += 1;
    const found = await queries.rowsAfter(...range);
    // a database takes a turn, so that one who asks without end holds up nothing
    await turn();
    onRows();
    if (refused === 0) return found;
    refused -= 1;
    return unreadable;
  };
  /** As another process does, of which this one hears by `note`. */
  const write = (count: number, user = 'ann', padding = ''): void => {
    for (let n = 0; n < count; n += 1) rows.push(ledgerRow(rows.length, { user, padding }));
  };
  const note = (): void => progress.advance(BigInt(rows.length));
  const tail = makeLedgerTail({ clock, queries: { rowsAfter }, progress });
  const feed = makeLedgerFeed({ clock, ledger: { page, nextPage: page }, tail });
  feeds.push(feed);
  return {
    clock,
    asked,
    feed,
    append: (count: number, user = 'ann', padding = '') => {
      write(count, user, padding);
      note();
    },
    write,
    note,
    forget: progress.forget,
    whilePageIsRead: (work: () => Promise<unknown>) => (onPage = work),
    whileRowsAreRead: (work: () => void) => (onRows = work),
    goAway: () => (isAway = true),
    refuseRows: (count: number) => (refused = count),
  };
};

type OpenOptions = {
  after?: number;
  filter?: LedgerFilter;
  quietMs?: number;
  until?: number;
  onTooSlow?: () => void;
};

const open = async (
  { feed }: ReturnType<typeof aLedger>,
  { after, filter = {}, quietMs = HOUR, until, onTooSlow = () => undefined }: OpenOptions = {},
): Promise<Feed> => {
  const opened = await feed.open({
    filter,
    after: after === undefined ? undefined : BigInt(after),
    quietMs,
    ...(until === undefined ? {} : { until }),
    onTooSlow,
  });
  if (E.isLeft(opened)) throw new Error(opened.left._tag);
  return opened.right;
};

type Shown = number | string;

const shown = (part: FeedPart): ReadonlyArray<Shown> => {
  switch (part._tag) {
    case 'Events':
      return part.entries.map(({ index }) => Number(index));
    case 'CaughtUp':
      return [`caught up at ${part.index}`];
    case 'Quiet':
      return ['quiet'];
  }
};

type Collected = {
  /** Grows as it comes. */
  readonly seen: Array<Shown>;
  /** Whether there is nothing more, by now. */
  readonly hasEnded: () => Promise<boolean>;
  readonly failure: () => unknown;
};

/** Collects what a feed gives. */
const collect = ({ parts }: Feed): Collected => {
  const seen: Array<Shown> = [];
  let [isOver, failure]: [boolean, unknown] = [false, undefined];
  const read = async (): Promise<void> => {
    try {
      for await (const part of parts) seen.push(...shown(part));
    } catch (error) {
      failure = error;
    }
    isOver = true;
  };
  void read();
  const hasEnded = async (): Promise<boolean> => {
    await turnsUntil(() => isOver);
    return isOver;
  };
  return { seen, hasEnded, failure: () => failure };
};

const upTo = (end: number, from = 0): ReadonlyArray<number> => Array.from({ length: end - from }, (_, n) => from + n);

const numbersIn = (seen: ReadonlyArray<Shown>): ReadonlyArray<Shown> => seen.filter((each) => typeof each === 'number');

const length = (seen: ReadonlyArray<Shown>, wanted: number): Promise<void> => turnsUntil(() => seen.length >= wanted);

describe('a feed of the ledger', () => {
  afterEach(() => {
    for (const feed of feeds.splice(0)) feed.stop();
  });

  it('gives what is there, says so once, and then gives what comes', async () => {
    const ledger = aLedger();
    ledger.append(3);
    const { seen } = collect(await open(ledger));
    await length(seen, 4);
    ledger.append(1);
    await length(seen, 5);
    ledger.append(2);
    await length(seen, 7);
    expect(seen).to.deep.equal([0, 1, 2, 'caught up at 2', 3, 4, 5]);
  });

  it('begins with the first event of an empty ledger', async () => {
    const ledger = aLedger();
    const { seen } = collect(await open(ledger));
    await length(seen, 1);
    ledger.append(1);
    await length(seen, 2);
    expect(seen).to.deep.equal(['caught up at -1', 0]);
  });

  it('goes on behind an index, and refuses one that no event has', async () => {
    const ledger = aLedger();
    ledger.append(5);
    const { seen } = collect(await open(ledger, { after: 2 }));
    await length(seen, 3);
    expect(seen).to.deep.equal([3, 4, 'caught up at 4']);
    const atEnd = collect(await open(ledger, { after: 4 }));
    await length(atEnd.seen, 1);
    expect(atEnd.seen).to.deep.equal(['caught up at 4']);
    const past = await ledger.feed.open({ filter: {}, after: 5n, quietMs: HOUR, onTooSlow: () => undefined });
    expect(past).to.deep.equal(E.left({ _tag: 'PastEnd' }));
  });

  it('gives to each filter its own', async () => {
    const ledger = aLedger();
    const opened = await Promise.all(
      [{ user: 'ann' }, { user: 'bob' }, { user: 'bob' }, {}].map((filter) => open(ledger, { filter })),
    );
    const collected = opened.map(collect);
    ledger.append(1, 'ann');
    ledger.append(2, 'bob');
    await Promise.all(collected.map(({ seen }, i) => length(seen, [2, 3, 3, 4][i]!)));
    expect(collected.map(({ seen }) => numbersIn(seen))).to.deep.equal([[0], [1, 2], [1, 2], [0, 1, 2]]);
  });

  it('leaves nothing out and gives nothing twice, whatever is appended while it begins', async () => {
    for (const before of [0, 1, 249, 250, 251, 700])
      for (const meanwhile of [0, 1, 300]) {
        const ledger = aLedger();
        ledger.append(before);
        const watching = collect(await open(ledger));
        await length(watching.seen, before + 1);
        let isFirst = true;
        ledger.whilePageIsRead(async () => {
          if (!isFirst) return;
          isFirst = false;
          ledger.append(meanwhile);
          await length(watching.seen, before + 1 + meanwhile);
        });
        const opened = await Promise.all([open(ledger), open(ledger)]);
        const collected = opened.map(collect);
        ledger.append(3);
        const total = before + meanwhile + 3;
        for (const { seen } of [watching, ...collected]) {
          await length(seen, total + 1);
          expect(numbersIn(seen)).to.deep.equal(upTo(total));
        }
      }
  });

  it('repeats nothing to a client that has an event from another process which this one has not read yet', async () => {
    const ledger = aLedger();
    ledger.append(2);
    const first = collect(await open(ledger));
    await length(first.seen, 3);
    ledger.write(2);
    const second = collect(await open(ledger, { after: 3 }));
    await length(second.seen, 1);
    ledger.note();
    await length(first.seen, 5);
    ledger.append(1);
    await length(second.seen, 2);
    expect(second.seen).to.deep.equal(['caught up at 3', 4]);
  });

  it('asks for the rows that come once, for however many, and for nothing while nothing comes', async () => {
    const ledger = aLedger();
    ledger.append(10);
    const opened = await Promise.all(Array.from({ length: 100 }, () => open(ledger, { after: 9 })));
    const collected = opened.map(collect);
    await Promise.all(collected.map(({ seen }) => length(seen, 1)));
    const before = { ...ledger.asked };
    ledger.append(1);
    await Promise.all(collected.map(({ seen }) => length(seen, 2)));
    expect({ pages: ledger.asked.pages - before.pages, rows: ledger.asked.rows - before.rows }).to.deep.equal({
      pages: 0,
      rows: 1,
    });
    for (const feed of opened) feed.close();
    for (const { hasEnded } of collected) expect(await hasEnded()).to.equal(true);
    const { rows } = ledger.asked;
    ledger.append(1);
    await ledger.clock.advance(HOUR);
    expect(ledger.asked.rows).to.equal(rows);
  });

  it('gives what comes while other rows are read, though nothing comes after that', async () => {
    const ledger = aLedger();
    const { seen } = collect(await open(ledger));
    await length(seen, 1);
    let isFirst = true;
    ledger.whileRowsAreRead(() => {
      if (isFirst) {
        isFirst = false;
        ledger.append(1);
      }
    });
    ledger.append(1);
    await length(seen, 3);
    expect(numbersIn(seen)).to.deep.equal([0, 1]);
  });

  it('says when nothing has come for a while', async () => {
    const ledger = aLedger();
    const { seen } = collect(await open(ledger, { quietMs: 15_000 }));
    await ledger.clock.advance(29_999);
    expect(seen).to.deep.equal(['caught up at -1', 'quiet']);
    await ledger.clock.advance(1);
    expect(seen).to.deep.equal(['caught up at -1', 'quiet', 'quiet']);
  });

  it('ends for a client that takes nothing once a mebibyte waits for it, and not for others', async () => {
    const ledger = aLedger();
    ledger.append(1);
    let cuts = 0;
    const slow = await open(ledger, { onTooSlow: () => (cuts += 1) });
    const quick = collect(await open(ledger));
    await length(quick.seen, 2);
    for (let n = 0; n < 40; n += 1) {
      ledger.append(1, 'ann', 'x'.repeat(30_000));
      await length(quick.seen, 3 + n);
    }
    expect(cuts).to.equal(1);
    expect(numbersIn(quick.seen)).to.deep.equal(upTo(41));
    const { seen, hasEnded } = collect(slow);
    expect([await hasEnded(), seen]).to.deep.equal([true, [0, 'caught up at 0']]);
  });

  it('gives what comes together, however much it is', async () => {
    const ledger = aLedger();
    let cuts = 0;
    const { seen } = collect(await open(ledger, { onTooSlow: () => (cuts += 1) }));
    await length(seen, 1);
    ledger.append(40, 'ann', 'x'.repeat(30_000));
    await length(seen, 41);
    ledger.append(1_200);
    await length(seen, 1_241);
    expect([cuts, numbersIn(seen)]).to.deep.equal([0, upTo(1_240)]);
  });

  it('counts what waits for a client, and not what that has taken', async () => {
    const ledger = aLedger();
    let cuts = 0;
    const { parts } = await open(ledger, { onTooSlow: () => (cuts += 1) });
    const seen: Array<Shown> = [];
    const take = async (): Promise<void> => {
      const { value } = await parts.next();
      if (value !== undefined) seen.push(...shown(value));
    };
    await take();
    for (let n = 0; n < 40; n += 1) {
      ledger.append(1, 'ann', 'x'.repeat(30_000));
      await take();
    }
    for (const read of [1, 2]) {
      const before = ledger.asked.rows;
      ledger.append(1, 'ann', `${read}`);
      await turnsUntil(() => ledger.asked.rows > before);
      await ledger.clock.advance(0);
    }
    await take();
    expect([cuts, numbersIn(seen)]).to.deep.equal([0, upTo(42)]);
  });

  it('goes on behind rows that could not be read, for which it asks once a second', async () => {
    const ledger = aLedger();
    const { seen } = collect(await open(ledger));
    await length(seen, 1);
    await ledger.clock.advance(0);
    ledger.refuseRows(3);
    const before = ledger.asked.rows;
    ledger.append(1);
    for (const asked of [1, 2, 3]) {
      await length(seen, 2);
      expect([ledger.asked.rows - before, seen]).to.deep.equal([asked, ['caught up at -1']]);
      await ledger.clock.advance(1_000);
    }
    expect(seen).to.deep.equal(['caught up at -1', 0]);
  });

  it('asks for no rows that come where what is there could not be read', async () => {
    const ledger = aLedger();
    ledger.append(600);
    // the end of the ledger can be read, and what is before it not any more
    ledger.whilePageIsRead(() => Promise.resolve(ledger.asked.pages === 2 && ledger.goAway()));
    const refused = await ledger.feed.open({ filter: {}, after: 599n, quietMs: HOUR, onTooSlow: () => undefined });
    expect(E.isLeft(refused)).to.equal(true);
    await ledger.clock.advance(0);
    const { rows } = ledger.asked;
    ledger.append(1);
    await ledger.clock.advance(0);
    expect(ledger.asked.rows).to.equal(rows);
  });

  it('ends where it is closed or stopped, also while it waits, and after that at once', async () => {
    const ledger = aLedger();
    const [one, two] = [await open(ledger), await open(ledger)];
    const [first, second] = [collect(one), collect(two)];
    await length(first.seen, 1);
    one.close();
    expect(await first.hasEnded()).to.equal(true);
    ledger.feed.stop();
    expect(await second.hasEnded()).to.equal(true);
    const late = collect(await open(ledger));
    expect([await late.hasEnded(), numbersIn(late.seen)]).to.deep.equal([true, []]);
  });

  it('ends at the moment that was asked for, and not before', async () => {
    const ledger = aLedger();
    const { clock } = ledger;
    const { seen, hasEnded } = collect(await open(ledger, { quietMs: HOUR, until: clock.date().getTime() + 10_000 }));
    await clock.advance(9_999);
    expect([await hasEnded(), seen]).to.deep.equal([false, ['caught up at -1']]);
    await clock.advance(1);
    expect([await hasEnded(), clock.waiting()]).to.deep.equal([true, 0]);
  });

  it('ends at once at a moment that has passed, and at one that is years away when it comes', async () => {
    const ledger = aLedger();
    const { clock } = ledger;
    const past = collect(await open(ledger, { until: clock.date().getTime() - 1 }));
    await clock.advance(1);
    expect(await past.hasEnded()).to.equal(true);
    const far = collect(await open(ledger, { quietMs: 4_000 * HOUR, until: clock.date().getTime() + 20_000 * HOUR }));
    await clock.advance(20_000 * HOUR - 1);
    expect(await far.hasEnded()).to.equal(false);
    await clock.advance(1);
    expect([await far.hasEnded(), clock.waiting()]).to.deep.equal([true, 0]);
  });

  it('leaves no timer when it is closed before', async () => {
    const ledger = aLedger();
    const feed = await open(ledger, { until: ledger.clock.date().getTime() + HOUR });
    const { hasEnded } = collect(feed);
    feed.close();
    expect([await hasEnded(), ledger.clock.waiting()]).to.deep.equal([true, 0]);
  });

  it('ends when the rows turn out to be of another log', async () => {
    const ledger = aLedger();
    ledger.append(1);
    const { seen, hasEnded } = collect(await open(ledger));
    await length(seen, 2);
    ledger.forget();
    expect([await hasEnded(), seen]).to.deep.equal([true, [0, 'caught up at 0']]);
  });

  it('is a failure where the ledger cannot be read at first, and throws where it cannot be read on', async () => {
    const ledger = aLedger();
    ledger.append(600);
    const opened = await open(ledger);
    ledger.goAway();
    const { hasEnded, failure } = collect(opened);
    expect(await hasEnded()).to.equal(true);
    expect(failure()).to.be.an('error').with.property('message', 'the ledger cannot be read on');
    const refused = await ledger.feed.open({ filter: {}, after: undefined, quietMs: HOUR, onTooSlow: () => undefined });
    expect(E.isLeft(refused) && refused.left._tag).to.equal('ReadModelUnavailable');
  });
});
