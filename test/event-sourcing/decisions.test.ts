import { expect } from 'chai';
import { makeDecisions } from '../../src/event-sourcing/decisions.js';
import { heapTakenBy } from '../support/heap-taken-by.js';
import { stored } from '../support/recorded.js';

const MIB = 1024 * 1024;

const decisionOf = (state: unknown) => ({
  metadata: 'metadata',
  state,
  creationPosition: 0n,
  lastHash: '',
  createdAt: '',
  lastAt: '',
  hasKeyedCommands: false,
});

const event = (id: string) => ({ ...stored({ type: 'BusinessDeleted', data: {} }), id, metadata: 'metadata' });

describe('the decisions of a process', () => {
  it('are found by the very event that ended them', () => {
    const decisions = makeDecisions();
    decisions.add({ id: 'one' }, decisionOf('state'));
    expect(decisions.endedBy(event('one'))?.state).to.equal('state');
    expect(decisions.endedBy(event('two'))).to.equal(undefined);
    expect(decisions.endedBy({ ...event('one'), metadata: 'of another event' })).to.equal(undefined);
  });

  it('take a bounded amount of memory, however large the entities are', async () => {
    const decisions = makeDecisions();
    const taken = await heapTakenBy(() => {
      for (let count = 0; count < 1_000; count += 1)
        decisions.add({ id: String(count) }, decisionOf({ text: Buffer.alloc(100 * 1024, count).toString('latin1') }));
    });
    expect(taken).to.be.lessThan(20 * MIB);
    expect(decisions.endedBy(event('999'))).not.to.equal(undefined);
  });
});
