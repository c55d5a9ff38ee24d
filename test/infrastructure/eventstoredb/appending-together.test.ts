import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { anEvent, append, appended, aStream, someEvents } from '../../contract/event-store/store-under-test.js';
import type { EventStoreDbDouble } from '../../support/eventstoredb-double/double.js';
import { patient } from '../../support/eventstoredb-double/open-store.js';
import { withStore } from './double-and-store.js';

const AT_ONCE = 50;

const appendCalls = ({ node }: EventStoreDbDouble): number =>
  node.state.calls.filter(({ rpc }) => rpc === 'append').length;

const storedIn = ({ log }: EventStoreDbDouble, streams: ReadonlyArray<string>): ReadonlyArray<string> =>
  log.records.filter(({ stream }) => streams.includes(stream)).map(({ id }) => id);

describe('appending to EventStoreDB at the same time', () => {
  it(
    'takes few calls, and tells each append where it is',
    withStore(async ({ store, double }) => {
      await appended(store, aStream(), 'no-stream', anEvent());
      const before = appendCalls(double);
      const streams = Array.from({ length: AT_ONCE }, aStream);
      const outcomes = await Promise.all(streams.map((stream) => append(store, stream, 'no-stream', ...someEvents(2))));
      expect(appendCalls(double) - before).to.be.at.most(5);
      for (const [index, stream] of streams.entries()) {
        const last = double.log.records.findLast((record) => record.stream === stream)!;
        const { position } = last;
        expect(outcomes[index]).to.deep.equal(E.right({ revision: 1n, position, confirmedNew: false }));
      }
    }),
  );

  it(
    'rejects only the appends whose revision is wrong, and names the one that there is',
    withStore(async ({ store }) => {
      const stream = aStream();
      await appended(store, stream, 'no-stream', ...someEvents(3));
      const outcomes = await Promise.all([
        append(store, aStream(), 'no-stream', anEvent()),
        append(store, stream, 'no-stream', anEvent()),
        append(store, aStream(), 'no-stream', anEvent()),
      ]);
      expect(outcomes.map(E.isRight)).to.deep.equal([true, false, true]);
      expect(outcomes[1]).to.deep.equal(E.left({ _tag: 'RevisionConflict', expected: 'no-stream', actual: 2n }));
    }),
  );

  it(
    'stores each append once when the call ends in the middle of them',
    withStore(
      async ({ store, double }) => {
        await appended(store, aStream(), 'no-stream', anEvent());
        double.node.faults.batchesEndAfter = 7;
        const streams = Array.from({ length: AT_ONCE }, aStream);
        const events = streams.map(() => anEvent());
        const outcomes = await Promise.all(
          streams.map((stream, index) => append(store, stream, 'no-stream', events[index]!)),
        );
        expect(outcomes.every(E.isRight)).to.equal(true);
        const stored = storedIn(double, streams);
        expect([...stored].sort()).to.deep.equal(events.map(({ id }) => id).sort());
      },
      // so long is waited for what the call did not acknowledge
      { timings: { ...patient, idleTimeout: 2_000 } },
    ),
  );
});
