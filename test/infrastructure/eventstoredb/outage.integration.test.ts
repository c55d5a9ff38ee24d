import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { anEvent, append, aStream } from '../../contract/event-store/store-under-test.js';
import { eventually } from '../../support/eventually.js';
import { timeTaken } from '../../support/time-taken.js';
import { withStore } from './double-and-store.js';

// with the default timings, unlike the other tests

describe('an outage of EventStoreDB', () => {
  it(
    'answers within three seconds while the server is down, at once when it has been down for long, and recovers',
    withStore(
      async ({ store, double }) => {
        await eventually(() => append(store, aStream(), 'no-stream', anEvent()), E.isRight);
        double.node.kill();
        const timed = (): Promise<number> =>
          timeTaken(async () => {
            const outcome = await append(store, aStream(), 'no-stream', anEvent());
            expect(E.isLeft(outcome) && outcome.left).to.be.instanceOf(StoreUnavailable);
          });
        expect(await timed()).to.be.lessThan(3_000);
        expect(await timed()).to.be.lessThan(3_000);
        expect(await eventually(timed, (ms) => ms < 200)).to.be.lessThan(200);
        await double.node.restart();
        const recovered = await eventually(() => append(store, aStream(), 'no-stream', anEvent()), E.isRight);
        expect(E.isRight(recovered)).to.equal(true);
      },
      { timings: {} },
    ),
  );

  it(
    'answers within three seconds while the server accepts calls and does not respond',
    withStore(
      async ({ store, double }) => {
        double.node.faults.isSilent = true;
        const taken = await timeTaken(async () => {
          const outcome = await append(store, aStream(), 'no-stream', anEvent());
          expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
        });
        expect(taken).to.be.lessThan(3_000);
      },
      { timings: {} },
    ),
  );
});
