import { expect } from 'chai';
import { followSkips } from '../../projections/engine/parked/follow-skips.js';
import { recordSkip } from '../../projections/engine/parked/record-skip.js';
import { businessHistory } from '../support/business-history.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { businessDecider } from '../../src/domain/business/decide.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import { foldPassingOver, readPassingOver } from '../../src/event-sourcing/passed-over.js';
import { businessComparison } from '../../src/read/business-view.js';
import { describeBusinessEvent } from '../../src/read/describe-business-event.js';
import { makeHistory } from '../../src/read/history.js';
import { append, created, renamed, sealed } from './appending.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';

const STREAM = 'business-0198f000-0000-7000-8000-000000000001';
const ID = '0198f000-0000-7000-8000-000000000001';

describe('events that operators have decided to skip', () => {
  it('are known to a process soon after another has recorded it, and its earlier states pass over them', async () => {
    const store = makeInMemoryEventStore();
    const bad = sealed({ ...renamed('Future'), at: '2026-02-02T00:00:00.000Z' }, STREAM, 1n, 99);
    await append(store, STREAM, 0n, created('Acme'), bad);
    const clock = makeManualClock();
    const skips = await followSkips({
      clock,
      store,
      projections: ['businesses', 'documents'],
      onEvent: () => undefined,
    });
    try {
      const folding = {
        serde: readPassingOver(businessSerde, () => skips.of('businesses')),
        fold: foldPassingOver(businessDecider),
      };
      const history = makeHistory({
        clock: systemRuntime.clock,
        store,
        serde: businessSerde,
        folding,
        description: { entityType: 'Business', describe: describeBusinessEvent },
        comparison: businessComparison,
        category: 'business',
      });
      const now = () => history.stateAsOf(ID, { _tag: 'Now' }, () => Promise.resolve(true), Infinity);
      expect(await now()).to.have.nested.property('left._tag', 'UndecodableEvent');
      const decision = { actor: 'olivia', reason: 'unreadable', at: new Date() };
      await recordSkip(
        systemRuntime,
        store,
        'businesses',
        { stream: STREAM, revision: 1n, eventId: bad.id },
        decision,
        undefined,
      );
      await clock.advance(999);
      expect([...skips.of('businesses').ids]).to.deep.equal([]);
      await clock.advance(1);
      expect([...skips.of('businesses').ids]).to.deep.equal([bad.id]);
      expect([...skips.of('documents').ids]).to.deep.equal([]);
      const then = await now();
      expect(then).to.have.nested.property('right.value.revision', 1n);
      expect(then).to.have.nested.property('right.value.updatedAt', '2026-01-02T03:04:05.678Z');
      expect(
        await businessHistory(store).stateAsOf(ID, { _tag: 'Now' }, () => Promise.resolve(true), Infinity),
      ).to.have.nested.property('left._tag', 'UndecodableEvent');
    } finally {
      await skips.stop();
    }
  });
});
