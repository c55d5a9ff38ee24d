import { expect } from 'chai';
import { validate, version } from 'uuid';
import { commandIdsOf, envelopeOf } from '../../src/application/command-context.js';
import { isKeyed } from '../../src/event-sourcing/command/command-id.js';
import { from } from '../support/use-cases.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const keyed = from('POST /business', { idempotencyKey: 'k1' });

describe('the ids a command runs under', () => {
  it('are for a key these ones, for ever', () => {
    expect(commandIdsOf(systemRuntime.random, keyed)).to.deep.equal({
      commandId: 'e418fd14-622d-5319-8de8-48e04ed15100',
      entityId: '01094d4e-baf0-569c-b150-6973b7db8757',
    });
  });

  it('are the same ones for the same key in the same scope, whatever else the request carries', () => {
    const again = { ...keyed, correlationId: 'request-2', traceparent: 't', precondition: () => true };
    expect(commandIdsOf(systemRuntime.random, again)).to.deep.equal(commandIdsOf(systemRuntime.random, keyed));
  });

  for (const [what, over] of Object.entries({
    actor: { actor: 'bob' },
    method: { operation: 'PUT /business' },
    path: { operation: 'POST /document' },
    key: { idempotencyKey: 'K1' },
  }))
    it(`are others for another ${what}`, () => {
      const other = commandIdsOf(systemRuntime.random, { ...keyed, ...over });
      expect(other.commandId).not.to.equal(commandIdsOf(systemRuntime.random, keyed).commandId);
      expect(other.entityId).not.to.equal(commandIdsOf(systemRuntime.random, keyed).entityId);
    });

  it('cannot be met by moving text from one part of the scope to another', () => {
    const one = commandIdsOf(systemRuntime.random, from('b', { actor: 'a', idempotencyKey: 'c","d' }));
    const other = commandIdsOf(systemRuntime.random, from('b","c', { actor: 'a', idempotencyKey: 'd' }));
    expect(one).not.to.deep.equal(other);
  });

  it('are new ones each time without a key', () => {
    const ids = Array.from({ length: 100 }, () => commandIdsOf(systemRuntime.random, from('POST /business')));
    expect(new Set(ids.map(({ commandId }) => commandId)).size).to.equal(100);
    expect(new Set(ids.map(({ entityId }) => entityId)).size).to.equal(100);
  });

  it('are UUIDs that tell a keyed command from another one, and leave the last byte to the events', () => {
    for (const [ids, expected] of [
      [commandIdsOf(systemRuntime.random, keyed), 5],
      [commandIdsOf(systemRuntime.random, from('POST /business')), 7],
    ] as const) {
      const { commandId, entityId } = ids;
      expect([commandId, entityId].map((id) => validate(id) && version(id))).to.deep.equal([expected, expected]);
      expect(isKeyed(commandId)).to.equal(expected === 5);
      expect(commandId.slice(-2)).to.equal('00');
    }
  });

  it('go into an envelope with the reason, which is a part of the request where there is one', () => {
    const ids = commandIdsOf(systemRuntime.random, keyed);
    const requestFor = (reason: string | undefined, request = 'null'): unknown => {
      const envelope = envelopeOf({ ...keyed, reason }, ids, { _tag: request });
      return [envelope.reason, envelope.request];
    };
    expect(requestFor(undefined)).to.deep.equal([undefined, '{"_tag":"null"}']);
    expect(requestFor('moved')).to.deep.equal(['moved', '[{"_tag":"null"},"moved"]']);
  });

  it('go into an envelope with the canonical text of the request', () => {
    const ids = commandIdsOf(systemRuntime.random, keyed);
    expect(envelopeOf({ ...keyed, traceparent: 't' }, ids, { b: 1, a: null, c: undefined })).to.deep.equal({
      commandId: ids.commandId,
      actor: 'alice',
      correlationId: 'request-1',
      traceparent: 't',
      reason: undefined,
      request: '{"a":null,"b":1}',
    });
  });
});
