import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import { aCategory, anEvent, appended, aStream } from '../../contract/event-store/store-under-test.js';
import type { EventStoreDbDouble } from '../../support/eventstoredb-double/double.js';
import { withStore } from './double-and-store.js';

const foreign = ({ log }: EventStoreDbDouble, count: number): void => {
  for (let written = 0; written < count; written += 1) {
    const event: NewEvent = anEvent();
    log.append(`foreign-${event.id}`, 'no-stream', [event]);
  }
};

const timed = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
  const start = performance.now();
  return [await work(), performance.now() - start];
};

/** Four times as long as a read may be silent. */
const MANY = 240;
const MS_EACH = 5;
const SOON = 600;

describe('the head of an EventStoreDB with many foreign records', () => {
  it(
    'is found however long the server looks for it, and then told at once',
    withStore(async ({ store, double, connectionEvents }) => {
      const category = aCategory();
      const { position } = await appended(store, aStream(category), 'no-stream', anEvent());
      foreign(double, MANY);
      double.node.faults.msPerForeignRecord = MS_EACH;
      expect(await store.head([category])).to.deep.equal(E.right(position));
      for (let round = 0; round < 3; round += 1) {
        foreign(double, MANY);
        const [head, ms] = await timed(() => store.head([category]));
        expect(head).to.deep.equal(E.right(position));
        expect(ms).to.be.lessThan(SOON);
      }
      const later = await appended(store, aStream(category), 'no-stream', anEvent());
      foreign(double, MANY);
      const [head, ms] = await timed(() => store.head([category]));
      expect(head).to.deep.equal(E.right(later.position));
      expect(ms).to.be.lessThan(SOON);
      expect(connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
    }),
  );

  it(
    'is known to be nowhere, and those who ask meanwhile wait for one search',
    withStore(async ({ store, double }) => {
      const category = aCategory();
      foreign(double, MANY);
      double.node.faults.msPerForeignRecord = MS_EACH;
      const [heads, ms] = await timed(() => Promise.all([0, 1, 2, 3].map(() => store.head([category]))));
      expect(heads).to.deep.equal(Array.from({ length: 4 }, () => E.right(undefined)));
      expect(ms).to.be.lessThan(2 * MANY * MS_EACH);
      const reads = double.node.state.calls.filter(({ rpc }) => rpc === 'read').length;
      expect((await timed(() => store.head([category])))[1]).to.be.lessThan(SOON);
      expect(double.node.state.calls.filter(({ rpc }) => rpc === 'read').length).to.equal(reads + 1);
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
    withStore(async ({ store, double }) => {
      const category = aCategory();
      await store.head([category]);
      foreign(double, 10 * MANY);
      double.node.faults.msPerForeignRecord = MS_EACH;
      const asking = timed(() => store.head([aCategory()]));
      setTimeout(() => (double.node.faults.isSilent = true), 400);
      const [head, ms] = await asking;
      expect(E.isLeft(head) && head.left._tag).to.equal('StoreUnavailable');
      expect(ms).to.be.lessThan(4_000);
    }),
  );
});
