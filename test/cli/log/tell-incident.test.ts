import { expect } from 'chai';
import { makeTellIncident } from '../../../src/cli/log/tell-incident.js';

describe('what an operator is told of a connection', () => {
  it('is each trouble once, and nothing of what is healed', () => {
    const told: Array<string> = [];
    const tell = makeTellIncident((message) => told.push(message));
    tell({ kind: 'connected', endpoint: 'host:2113' });
    for (let again = 0; again < 3; again += 1) tell({ _tag: 'ReadFailed', cause: new Error('gone') });
    tell({ _tag: 'ConnectionLost', of: 'writer', cause: undefined });
    tell({ kind: 'unreachable', cause: new Error('refused') });
    expect(told).to.deep.equal(['event log: gone', 'event log: connection lost', 'event log: refused']);
  });
});
