import { expect } from 'chai';
import { makePrintConnectionEvents } from '../../../src/cli/log/connection-events.js';

describe('what an operator sees of a connection', () => {
  it('is each trouble once, and nothing of what is healed', () => {
    const printed: Array<string> = [];
    const printEvent = makePrintConnectionEvents((message) => printed.push(message));
    printEvent({ kind: 'connected', endpoint: 'host:2113' });
    for (let again = 0; again < 3; again += 1) printEvent({ kind: 'read-repeated', cause: new Error('gone') });
    printEvent({ kind: 'connection-lost', connection: 'writer', cause: undefined });
    printEvent({ kind: 'unreachable', cause: new Error('refused') });
    expect(printed).to.deep.equal(['event log: gone', 'event log: connection lost', 'event log: refused']);
  });
});
