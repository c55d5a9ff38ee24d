import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import { aCategory, anEvent, appended, aStream } from '../../contract/event-store/store-under-test.js';
import type { EventStoreDbDouble } from '../../support/eventstoredb-double/double.js';
import { patient, quick } from '../../support/eventstoredb-double/open-store.js';
import { withStore } from './double-and-store.js';

const foreign = ({ log }: EventStoreDbDouble, count: number): void => {
  for (let written = 0; written < count; written += 1) {
    const event: NewEvent = anEvent();
    log.append(`foreign-${event.id}`, 'no-stream', [event]);
  }
};

const MANY = 240;
/** A search past so many records takes a second. */
const MS_EACH = 5;
/** It takes three times as long as a read may be silent, which is longer than a busy machine stops. */
const MS_EACH_OF_LONG = 40;
const IDLE_MS = 3_000;
/** It would take longer than any stop of the machine. */
const MS_EACH_LATER = 50;

/** Searches through most of the log that were waited for. */
const longSearches = ({ node }: EventStoreDbDouble): number =>
  node.state.searches.filter(({ passed, isAnswered }) => isAnswered && passed >= MANY).length;

describe('the head of an EventStoreDB with many foreign records', () => {
  it(
    'is found however long the server searches for it, and then given without such a search',
    withStore(
      async ({ store, double, connectionEvents }) => {
        const category = aCategory();
        const { position } = await appended(store, aStream(category), 'no-stream', anEvent());
        foreign(double, MANY);
        double.node.faults.msPerForeignRecord = MS_EACH_OF_LONG;
        expect(await store.head([category])).to.deep.equal(E.right(position));
        expect(longSearches(double)).to.equal(1);
        double.node.faults.msPerForeignRecord = MS_EACH_LATER;
        for (let round = 0; round < 3; round += 1) {
          foreign(double, MANY);
          expect(await store.head([category])).to.deep.equal(E.right(position));
          expect(longSearches(double)).to.equal(1);
        }
        const later = await appended(store, aStream(category), 'no-stream', anEvent());
        foreign(double, MANY);
        expect(await store.head([category])).to.deep.equal(E.right(later.position));
        expect(longSearches(double)).to.equal(1);
        expect(connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
      },
      { timings: { ...patient, idleTimeout: IDLE_MS } },
    ),
  );

  it(
    'is known to be nowhere, and those who ask meanwhile and later wait for one search',
    withStore(async ({ store, double }) => {
      const category = aCategory();
      foreign(double, MANY);
      double.node.faults.msPerForeignRecord = MS_EACH;
      const heads = await Promise.all([0, 1, 2, 3].map(() => store.head([category])));
      expect([...heads, await store.head([category])]).to.deep.equal(Array(5).fill(E.right(undefined)));
      expect(longSearches(double)).to.equal(1);
    }),
  );

  it(
    'is looked for anew after what was known of the log has misled a search',
    withStore(async ({ store, double }) => {
      const category = aCategory();
      const { position } = await appended(store, aStream(category), 'no-stream', anEvent());
      const kept = double.log.records.length;
      foreign(double, 3);
      await store.head([category]);
      // no record begins where the end of the log was
      double.log.restore(kept);
      double.log.append('foreign-odd', 'no-stream', [anEvent({ data: '{"text":"of another length"}' })]);
      foreign(double, MANY);
      double.node.faults.msPerForeignRecord = MS_EACH_OF_LONG;
      expect(E.isLeft(await store.head([category]))).to.equal(true);
      double.node.faults.msPerForeignRecord = MS_EACH;
      expect(await store.head([category])).to.deep.equal(E.right(position));
    }),
  );

  it(
    'is that of the log as it is after a restore',
    withStore(async ({ store, double }) => {
      const category = aCategory();
      const first = await appended(store, aStream(category), 'no-stream', anEvent());
      const kept = double.log.records.length;
      await appended(store, aStream(category), 'no-stream', anEvent());
      await store.head([category]);
      double.node.kill();
      double.log.restore(kept);
      foreign(double, 20);
      await double.node.restart();
      expect(await store.head([category])).to.deep.equal(E.right(first.position));
    }),
  );

  it(
    'is not waited for when the server dies while it looks',
    withStore(
      async ({ store, double }) => {
        const category = aCategory();
        await store.head([category]);
        foreign(double, 10 * MANY);
        double.node.faults.msPerForeignRecord = MS_EACH;
        const asking = store.head([aCategory()]);
        const { news, searches } = double.node.state;
        await news.until(() => searches.some(({ passed }) => passed > MANY));
        double.node.faults.isSilent = true;
        const head = await asking;
        expect(E.isLeft(head) && head.left._tag).to.equal('StoreUnavailable');
        expect(longSearches(double)).to.equal(0);
      },
      { timings: { ...quick, timeout: 3_000 } },
    ),
  );
});
