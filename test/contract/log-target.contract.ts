import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { gatherAppends } from '../../src/event-sourcing/whole-log/gather-appends.js';
import type { LogTarget } from '../../src/event-sourcing/whole-log/log-target.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { appendChained, interleaved, makeChains, wholeLog, withoutPositions } from '../support/chained-events.js';

type OpenedTarget = { readonly target: LogTarget; readonly close: () => Promise<void> };

/** What a whole log needs of the store that it is written into; `open` gives one that is empty. */
export const logTargetContract = (name: string, open: () => Promise<OpenedTarget>): void => {
  describe(`${name} as the target of a whole log`, function () {
    this.timeout(180_000);

    let target: LogTarget;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ target, close } = await open());
    });

    afterEach(() => close());

    /** More streams than travel in one batch, streams that come again, and neighbours of one stream. */
    const someLog = async () => {
      const store = makeInMemoryEventStore();
      const rounds = interleaved(150, 2);
      await appendChained(store, makeChains(), ...rounds, ...rounds.slice(0, 5).flatMap((stream) => [stream, stream]));
      return wholeLog(store);
    };

    it('stores appends of many streams in exactly the order given', async () => {
      const log = await someLog();
      expect(await target.appendInOrder(gatherAppends(log))).to.deep.equal(E.right(undefined));
      expect(withoutPositions(await wholeLog(target))).to.deep.equal(withoutPositions(log));
    });

    it('takes the same appends again, and stores nothing twice', async () => {
      const log = await someLog();
      await target.appendInOrder(gatherAppends(log.slice(0, 200)));
      expect(await target.appendInOrder(gatherAppends(log.slice(0, 200)))).to.deep.equal(E.right(undefined));
      await target.appendInOrder(gatherAppends(log.slice(200)));
      expect(withoutPositions(await wholeLog(target))).to.deep.equal(withoutPositions(log));
    });

    it('says so when a stream is not where it was expected', async () => {
      const outcome = await target.appendInOrder(gatherAppends((await someLog()).slice(150)));
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('RevisionConflict');
    });

    it('takes the name of another log while it is empty, any number of times, and keeps it for ever', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      for (const identity of [one, other, other]) {
        expect(await target.adoptIdentity(identity)).to.deep.equal(E.right(undefined));
        expect(await target.identity()).to.deep.equal(E.right(identity));
      }
      await target.appendInOrder(gatherAppends((await someLog()).slice(0, 1)));
      expect(await target.adoptIdentity(one)).to.deep.equal(E.left({ _tag: 'LogNotEmpty', identity: other }));
      expect(await target.identity()).to.deep.equal(E.right(other));
    });

    it('keeps beside the events that a restore has begun, and that it has ended', async () => {
      const steps = [undefined, 'begun', 'begun', 'ended', 'ended', 'begun'] as const;
      for (const state of steps) {
        if (state !== undefined) expect(await target.markRestore(state)).to.deep.equal(E.right(undefined));
        expect(await target.isBeingRestored()).to.deep.equal(E.right(state === 'begun'));
      }
      expect(await wholeLog(target)).to.deep.equal([]);
      expect(await target.head()).to.deep.equal(E.right(undefined));
    });
  });
};
