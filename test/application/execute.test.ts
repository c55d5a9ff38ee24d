import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { makeExecute } from '../../src/application/execute.js';
import type { CommandCall, Handled } from '../../src/event-sourcing/command/command-call.js';
import { makeManualClock } from '../support/manual-clock.js';

const call: CommandCall<string> = {
  stream: 'business-b1',
  command: 'whatever',
  envelope: { commandId: 'c', actor: 'alice', correlationId: 'r', request: '' },
  fresh: false,
};

const handled = (position: bigint | undefined): Handled<string, string> => ({
  before: 'before',
  after: 'after',
  events: ['happened'],
  revision: 3n,
  createdAt: 'first',
  lastAt: 'last',
  position,
  replayed: false,
});

const progress = (reached: boolean) => {
  const waited: Array<bigint> = [];
  const waitFor = (position: bigint) => {
    waited.push(position);
    return Promise.resolve(reached);
  };
  return { waited, waitFor };
};

const outcome = (projected: boolean) =>
  E.right({
    before: 'before',
    after: 'after',
    revision: 3n,
    createdAt: 'first',
    updatedAt: 'last',
    projected,
    replayed: false,
  });

describe('executing a command', () => {
  it('answers what it did once the read model shows it', async () => {
    const { waited, waitFor } = progress(true);
    expect(
      await makeExecute(makeManualClock(), () => Promise.resolve(E.right(handled(42n))), { waitFor, heldMs: 0 })(call),
    ).to.deep.equal(outcome(true));
    expect(waited).to.deep.equal([42n]);
  });

  it('says so when the read model did not come that far in time', async () => {
    const { waitFor } = progress(false);
    expect(
      await makeExecute(makeManualClock(), () => Promise.resolve(E.right(handled(42n))), { waitFor, heldMs: 0 })(call),
    ).to.deep.equal(outcome(false));
  });

  it('says that it may have been stored when too little time was left to hold the answer back', async () => {
    const { waitFor } = progress(false);
    const executed = await makeExecute(makeManualClock(), () => Promise.resolve(E.right(handled(42n))), {
      waitFor,
      heldMs: 60_000,
    })(call);
    expect(E.isLeft(executed) && executed.left).to.be.instanceOf(StoreUnavailable);
  });

  it('holds the answer back for as long as others may not know, and waits for log and row until an answer is due', async () => {
    for (const [waitedMs, isTold] of [
      [499, false],
      [500, true],
    ] as const) {
      const clock = makeManualClock();
      await clock.advance(1_000);
      const deadlines: Array<number | undefined> = [];
      const handle = (_call: CommandCall<string>, until?: number) => {
        deadlines.push(until);
        return Promise.resolve(E.right(handled(42n)));
      };
      const waitFor = async (_position: bigint, until?: number): Promise<boolean> => {
        deadlines.push(until);
        await clock.advance(waitedMs);
        return false;
      };
      const executed = await makeExecute(clock, handle, { waitFor, heldMs: 500 })(call);
      expect([E.isRight(executed), deadlines]).to.deep.equal([isTold, [3_800, 3_800]]);
    }
  });

  for (const reached of [true, false])
    it(`does not say that it is stored when the log has lost events before the answer: ${reached}`, async () => {
      let lose = (): void => undefined;
      const { waitFor } = progress(reached);
      const executed = await makeExecute(
        makeManualClock(),
        () => Promise.resolve(E.right(handled(42n))),
        {
          waitFor: (position) => {
            lose();
            return waitFor(position);
          },
          heldMs: 0,
        },
        (forget) => (lose = forget),
      )(call);
      expect(E.isLeft(executed) && executed.left).to.be.instanceOf(StoreUnavailable);
    });

  it('waits for nothing when the answer rests on no event', async () => {
    const { waited, waitFor } = progress(false);
    expect(
      await makeExecute(makeManualClock(), () => Promise.resolve(E.right(handled(undefined))), { waitFor, heldMs: 0 })(
        call,
      ),
    ).to.deep.equal(outcome(true));
    expect(waited).to.deep.equal([]);
  });

  it('waits for nothing when the command failed', async () => {
    const { waited, waitFor } = progress(true);
    const failure = { _tag: 'IdempotencyKeyReused' } as const;
    expect(
      await makeExecute(makeManualClock(), () => Promise.resolve(E.left(failure)), { waitFor, heldMs: 0 })(call),
    ).to.deep.equal(E.left(failure));
    expect(waited).to.deep.equal([]);
  });
});
