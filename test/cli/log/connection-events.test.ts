import { expect } from 'chai';
import { makePrintConnectionEvents } from '../../../src/cli/log/connection-events.js';

describe('what an operator is told of a connection', () => {
  it('is each trouble once, and nothing of what is healed', () => {
    const told: Array<string> = [];
    const tell = makePrintConnectionEvents((message) => told.push(message));
    tell({ kind: 'connected', endpoint: 'host:2113' });
    for (let again = 0; again < 3; again += 1) tell({ kind: 'read-repeated', cause: new Error('gone') });
    tell({ kind: 'connection-lost', connection: 'writer', cause: undefined });
    tell({ kind: 'unreachable', cause: new Error('refused') });
    expect(told).to.deep.equal(['event log: gone', 'event log: connection lost', 'event log: refused']);
  });
});
