import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { gatherAppends } from '../../../src/event-sourcing/whole-log/gather-appends.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { appendChained, interleaved, makeChains, wholeLog, withoutPositions } from '../../support/chained-events.js';
import { patient } from '../../support/eventstoredb-double/open-store.js';
import { withStore } from './double-and-store.js';

const COUNT = 300;

const someLog = async () => {
  const store = makeInMemoryEventStore();
  await appendChained(store, makeChains(), ...interleaved(COUNT / 3, 3));
  return wholeLog(store);
};

describe('appending a whole log to EventStoreDB', () => {
  it(
    'sends many appends without waiting for each',
    withStore(async ({ store, double }) => {
      const log = await someLog();
      expect(await store.appendInOrder(gatherAppends(log))).to.deep.equal(E.right(undefined));
      expect(withoutPositions(await wholeLog(store))).to.deep.equal(withoutPositions(log));
      expect(double.node.state.calls.filter(({ rpc }) => rpc === 'append').length).to.be.below(10);
    }),
  );

  it(
    'appends again what was not acknowledged, and goes on in order',
    withStore(
      async ({ store, double }) => {
        double.node.faults.batchesEndAfter = 40;
        const log = await someLog();
        expect(await store.appendInOrder(gatherAppends(log))).to.deep.equal(E.right(undefined));
        expect(withoutPositions(await wholeLog(store))).to.deep.equal(withoutPositions(log));
      },
      // so long is waited for what the call did not acknowledge
      { timings: { ...patient, idleTimeout: 1_000 } },
    ),
  );

  it(
    'rejects appends that the log holds in another order',
    withStore(async ({ store }) => {
      const [first, second] = gatherAppends(await someLog());
      await store.appendInOrder([second!, first!]);
      const outcome = await store.appendInOrder([first!, second!]);
      expect(E.isLeft(outcome) && outcome.left).to.include({ _tag: 'AppendRejected' });
    }),
  );
});
