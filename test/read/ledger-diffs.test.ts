import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { Direction, EventStore, StreamRange } from '../../src/event-sourcing/event-store.js';
import { UndecodableEventError } from '../../src/read/event-view.js';
import { makeLedgerDiffs } from '../../src/read/ledger-diffs.js';
import type { LedgerEntry } from '../../src/read/ledger.js';
import { businessHistory } from '../support/business-history.js';
import { streamOf } from '../support/given-stream.js';
import { pageOf } from '../support/page-of.js';

const EVENTS = 2_000;
const PER_PAGE = 100;

const phone = (n: number) => [{ type: 'BusinessUpdated', data: { changes: { phone: String(n) } } }] as const;
const created = [{ type: 'BusinessCreated', data: { name: 'Acme', phone: '0' } }] as const;

const all = streamOf('business-b1', created, ...Array.from({ length: EVENTS - 1 }, (_, n) => phone(n + 1)));

/** A store of the events that there are, which counts what is read of it. */
const counting = (events: ReadonlyArray<(typeof all)[number]> = all) => {
  const reads = { open: 0, pulled: 0 };
  let there = events;
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async function* readStream(_stream: string, { from = 0n, limit = Infinity }: StreamRange) {
    const wanted = there.slice(Number(from), Number(from) + limit);
    reads.open += 1;
    try {
      for (let at = 0; at < wanted.length; at += PER_PAGE) {
        const page = wanted.slice(at, at + PER_PAGE);
        reads.pulled += page.length;
        yield pageOf(page);
      }
    } finally {
      reads.open -= 1;
    }
  }
  const newestRevision: EventStore['newestRevision'] = () =>
    Promise.resolve(E.right(there.at(-1)?.revision ?? 'no-stream'));
  const store = { readStream, newestRevision } as unknown as EventStore;
  return { store, reads, set: (now: typeof events) => void (there = now) };
};

const entryOf = (revision: number): LedgerEntry => ({
  index: BigInt(revision * 3),
  body: JSON.stringify({ entityType: 'Business', revision }),
});

const diffsOver = (store: EventStore, direction: Direction) =>
  makeLedgerDiffs(() => Promise.resolve(businessHistory(store)), {
    ...{ entity: 'b1', direction, admitPage: () => Promise.resolve(true) },
  });

const shownIn = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<unknown> =>
  entries.map(({ body }) => (JSON.parse(body) as { readonly diff: unknown }).diff);

const changeOf = (revision: number): unknown => [
  { path: '/phone', before: String(revision - 1), after: String(revision) },
];

describe('entries of one record with what each of them changed', () => {
  it('are decisions of operators, which change nothing of a record', async () => {
    const { store, reads } = counting();
    const { add } = diffsOver(store, 'forwards');
    const decision = { index: 5n, body: JSON.stringify({ entityType: 'Decision', revision: 0 }) };
    expect(shownIn(await add([decision]))).to.deep.equal([[]]);
    expect(reads.pulled).to.equal(0);
  });

  const revisions = Array.from({ length: EVENTS - 1 }, (_, n) => n + 1);

  it('are read beside the history, once forwards and a few times backwards, whatever the pages are', async () => {
    for (const [direction, most] of [
      ['forwards', EVENTS],
      ['backwards', 4 * EVENTS],
    ] as const) {
      const { store, reads } = counting();
      const { add, close } = diffsOver(store, direction);
      const wanted = direction === 'forwards' ? revisions : revisions.toReversed();
      for (let at = 0; at < wanted.length; at += 7) {
        const page = wanted.slice(at, at + 7);
        const entries = await add(page.map(entryOf));
        expect(entries.map(({ index }) => index)).to.deep.equal(page.map((revision) => BigInt(revision * 3)));
        expect(shownIn(entries)).to.deep.equal(page.map(changeOf));
      }
      await close();
      expect(reads.pulled, direction).to.be.at.most(most);
      expect(reads.open).to.equal(0);
    }
  });

  it('may leave out others between them, and be none', async () => {
    const { store } = counting();
    const forwards = diffsOver(store, 'forwards');
    expect(await forwards.add([])).to.deep.equal([]);
    expect(shownIn(await forwards.add([5, 1_500].map(entryOf)))).to.deep.equal([5, 1_500].map(changeOf));
    await forwards.close();
    const backwards = diffsOver(store, 'backwards');
    expect(shownIn(await backwards.add([1_500, 5].map(entryOf)))).to.deep.equal([1_500, 5].map(changeOf));
    await backwards.close();
  });

  it('have those that were appended after the reading began', async () => {
    const { store, set } = counting(all.slice(0, 10));
    const { add } = diffsOver(store, 'forwards');
    expect(shownIn(await add([8, 9].map(entryOf)))).to.deep.equal([8, 9].map(changeOf));
    set(all.slice(0, 12));
    expect(shownIn(await add([10, 11].map(entryOf)))).to.deep.equal([10, 11].map(changeOf));
  });

  it('end the reading when they are no longer wanted', async () => {
    const { store, reads } = counting();
    const { add, close } = diffsOver(store, 'forwards');
    await add([entryOf(1)]);
    expect(reads.open).to.equal(1);
    await close();
    expect(reads.open).to.equal(0);
  });

  it('fail where the log lacks one of them, or has one that cannot be read', async () => {
    const failure = async (events: ReadonlyArray<(typeof all)[number]>, revision: number, direction: Direction) =>
      diffsOver(counting(events).store, direction)
        .add([entryOf(revision)])
        .then(
          () => 'none',
          (error: unknown) => (error instanceof UndecodableEventError ? 'undecodable' : String(error)),
        );
    const lacks = /the log lacks an event that the ledger shows/;
    for (const direction of ['forwards', 'backwards'] as const) {
      expect(await failure([], 3, direction)).to.match(lacks);
      expect(await failure(all.slice(0, 3), 3, direction)).to.match(lacks);
    }
    const unreadable = all.slice(0, 4).map((event, at) => (at === 2 ? { ...event, data: '{' } : event));
    expect(await failure(unreadable, 3, 'forwards')).to.equal('undecodable');
  });
});
