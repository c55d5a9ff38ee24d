import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { appending } from './event-store/appending.js';
import { readingByStream } from './event-store/reading-by-stream.js';
import { readingStreams } from './event-store/reading-streams.js';
import { readingTheLog } from './event-store/reading-the-log.js';
import { anEvent, append, aStream, batchesOf } from './event-store/store-under-test.js';
import { subscribing } from './event-store/subscribing.js';

/** A store made for one run of the suite. */
type StoreForContract = { readonly store: EventStore; readonly close: () => Promise<void> };

type ContractOptions = {
  /** The log is new and nobody else writes to it. Default: true. */
  readonly startsEmpty?: boolean;
  /** Whether the store distinguishes a new append from a repeated one. Default: true. */
  readonly confirmsNew?: boolean;
};

/** What every event store must do, over every field of every result. `make` is called once, before the first test. */
export const eventStoreContract = (
  name: string,
  make: () => Promise<StoreForContract>,
  { startsEmpty = true, confirmsNew = true }: ContractOptions = {},
): void => {
  describe(`event store: ${name}`, function () {
    // some tests take ten seconds where nothing else runs
    this.timeout(180_000);

    let made: StoreForContract;
    before(async () => {
      made = await make();
    });
    after(() => made.close());
    const store = () => made.store;

    if (startsEmpty)
      it('has no head and nothing to read while it is empty', async () => {
        expect(await store().head()).to.deep.equal(E.right(undefined));
        const batches = await batchesOf(store().readAll({ after: 'start' }));
        expect(batches.flatMap(({ events }) => events)).to.deep.equal([]);
      });

    if (confirmsNew)
      it('distinguishes a new append from a repeated one', async () => {
        const stream = aStream();
        const event = anEvent();
        const [first, again] = [
          await append(store(), stream, 'no-stream', event),
          await append(store(), stream, 'no-stream', event),
        ];
        expect(E.isRight(first) && first.right.confirmedNew).to.equal(true);
        expect(again).to.deep.equal(E.isRight(first) && E.right({ ...first.right, confirmedNew: false }));
      });

    describe('appending', () => appending(store));
    describe('reading streams', () => readingStreams(store));
    describe('reading the log', () => readingTheLog(store));
    describe('reading by stream', () => readingByStream(store));
    describe('subscribing', () => subscribing(store));
  });
};
