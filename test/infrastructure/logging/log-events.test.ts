import { expect } from 'chai';
import { logConnectionEvent } from '../../../src/infrastructure/logging/log-events.js';
import { makeLogger } from '../../../src/infrastructure/logging/logger.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('the log of the connection to the event log', () => {
  const lineOf = (event: Parameters<ReturnType<typeof logConnectionEvent>>[0]): unknown => {
    const lines: Array<string> = [];
    logConnectionEvent(makeLogger(systemRuntime.clock, 'info', false, { write: (line) => void lines.push(line) }))(
      event,
    );
    const { level, kind, reason } = JSON.parse(lines.join('')) as Readonly<Record<string, unknown>>;
    return { level, kind, reason };
  };

  it('warns of an outage and of its end, not of the first connection', () => {
    const [info, warn] = [lineOf({ kind: 'connected', endpoint: 'log:2113' }), lineOf({ kind: 'events-lost' })];
    expect(info).to.deep.equal({ level: 30, kind: 'connected', reason: undefined });
    expect(warn).to.deep.equal({ level: 40, kind: 'events-lost', reason: undefined });
    const lost = lineOf({ kind: 'connection-lost', connection: 'log:2113', cause: new Error('reset') });
    expect(lost).to.deep.equal({ level: 40, kind: 'connection-lost', reason: 'reset' });
    expect(lineOf({ kind: 'reconnected', endpoint: 'log:2113' })).to.have.property('level', 40);
  });
});
