import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { otherLog } from '../../projections/engine/generation/provenance.js';
import type { WrongLog } from '../../projections/engine/engine-failure.js';
import { queryWhileSameLog, readWhileSameLog, writeWhileSameLog } from '../../src/composition/while-same-log.js';
import { business } from '../../src/entities/business.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { givenStream } from '../support/given-stream.js';
import { inMemoryQueries } from '../support/in-memory-queries.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { stored } from '../support/recorded.js';
import { IN_CREATION_ORDER } from '../../src/read/queries.js';

const STREAM = 'business-b1';

describe('a service whose rows are of another log', () => {
  let log: EventStore;
  let wrongLog: WrongLog | undefined;
  const find = (): WrongLog | undefined => wrongLog;

  beforeEach(async () => {
    log = makeInMemoryEventStore();
    wrongLog = undefined;
    await givenStream(log, STREAM, [{ type: 'BusinessCreated', data: { name: 'Acme' } }]);
  });

  const findOtherLog = (): void => {
    wrongLog = otherLog('businesses', 'one', 'another');
  };

  it('appends nothing, says why, and appends again when the right log is back', async () => {
    const guarded = writeWhileSameLog(log, find);
    const { id, type, data, metadata } = stored({ type: 'BusinessUpdated', data: { phone: '1' } }, { revision: 1n });
    findOtherLog();
    const failed = await guarded.append(STREAM, 0n, [{ id, type, data, metadata }]);
    expect(E.isLeft(failed) && failed.left)
      .to.be.instanceOf(StoreUnavailable)
      .with.property('message', wrongLog!.reason);
    expect(await log.newestRevision(STREAM)).to.deep.equal(E.right(0n));
    wrongLog = undefined;
    expect(E.isRight(await guarded.append(STREAM, 0n, [{ id, type, data, metadata }]))).to.equal(true);
  });

  it('reads streams for its clients, and not for the sweep of files', async () => {
    findOtherLog();
    expect(await writeWhileSameLog(log, find).newestRevision(STREAM)).to.deep.equal(E.right(0n));
    const forSweep = readWhileSameLog(log, find);
    const failed = await forSweep.newestRevision(STREAM);
    expect(E.isLeft(failed) && failed.left.message).to.equal(wrongLog!.reason);
    wrongLog = undefined;
    expect(await forSweep.newestRevision(STREAM)).to.deep.equal(E.right(0n));
  });

  it('answers no query from the rows', async () => {
    const queries = queryWhileSameLog(inMemoryQueries(log, business.projection), find);
    const queried = async (): Promise<ReadonlyArray<string>> =>
      (
        await Promise.all([
          queries.byId('b1'),
          queries.page({}, { order: IN_CREATION_ORDER, limit: 1 }),
          queries.all({}, { order: IN_CREATION_ORDER }),
          queries.hiddenState('b1'),
        ])
      ).map((result: E.Either<{ readonly _tag: string }, unknown>) =>
        E.isLeft(result) ? result.left._tag : 'answered',
      );
    expect(await queried()).to.deep.equal(Array(4).fill('answered'));
    findOtherLog();
    expect(await queried()).to.deep.equal(Array(4).fill('ReadModelUnavailable'));
  });
});
