import { expect } from 'chai';
import * as fc from 'fast-check';
import { byteStringOf } from '../../src/event-sourcing/byte-string.js';
import { canonicalJson, type Json, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { partReason, partReasonOfBytes, withReason } from '../../src/event-sourcing/reason.js';
import { text } from '../support/arbitrary-values.js';
import { businessEvent } from '../support/business-events.js';
import { documentEvent } from '../support/document-events.js';

const data: fc.Arbitrary<JsonObject> = fc.oneof(businessEvent, documentEvent).map((event) => event.data);
const reason = fc.oneof(text, fc.constantFrom('"', '\\', '"}', '",', '{"$reason":"x"}', '\u0007', 'ü 漢 😀'));

const parsed = (stored: string): Json | undefined => {
  try {
    return JSON.parse(stored) as Json;
  } catch {
    return undefined;
  }
};

describe('the reason of a command', () => {
  it('is stored with the data, before every field', () => {
    expect(canonicalJson(withReason({ name: 'Acme' }, 'as "told"'))).to.equal(
      String.raw`{"$reason":"as \"told\"","name":"Acme"}`,
    );
    expect(withReason({ name: 'Acme' }, undefined)).to.deep.equal({ name: 'Acme' });
    fc.assert(
      fc.property(data, reason, (fact, why) => {
        expect(Object.keys(parsed(canonicalJson(withReason(fact, why))) as object)[0]).to.equal('$reason');
      }),
    );
  });

  it('is parted from the data again, as values and as bytes', () => {
    fc.assert(
      fc.property(data, fc.option(reason, { nil: undefined }), (fact, why) => {
        const stored = canonicalJson(withReason(fact, why));
        expect(canonicalJson(partReason(parsed(stored)!).data)).to.equal(canonicalJson(fact));
        expect(partReason(parsed(stored)!).reason).to.equal(why);
        expect(partReasonOfBytes(byteStringOf(stored))).to.deep.equal({
          data: byteStringOf(canonicalJson(fact)),
          reason: why === undefined ? undefined : byteStringOf(canonicalJson(why)),
        });
      }),
    );
  });

  it('is all that was stored of an event without fields', () => {
    expect(partReasonOfBytes(byteStringOf('{"$reason":"x"}'))).to.deep.equal({ data: '{}', reason: '"x"' });
  });

  it('is none in what is no object, and none in an object within', () => {
    for (const stored of [null, 1, 'text', ['$reason'], { changes: { $reason: 'x' } }])
      expect(partReason(stored)).to.deep.equal({ data: stored, reason: undefined });
  });

  it('is not parted from bytes where it is no text', () => {
    for (const stored of [
      '{"$reason":1}',
      '{"$reason":null,"a":1}',
      '{"$reason":"x',
      '{"$reason":"x"x}',
      '{"$reason":"\n"}',
    ])
      expect(partReasonOfBytes(byteStringOf(stored)), stored).to.equal(undefined);
  });

  it('leaves no JSON of what is none', () => {
    const damaged = fc
      .tuple(data, reason, fc.nat(), fc.constantFrom('"', '\\', ',', '}', '{', ':', '', '\n', 'x'))
      .map(([fact, why, at, other]) => {
        const stored = canonicalJson(withReason(fact, why));
        const index = at % stored.length;
        return stored.slice(0, index) + other + stored.slice(index + 1);
      });
    fc.assert(
      fc.property(damaged, (stored) => {
        const parted = partReasonOfBytes(byteStringOf(stored));
        if (parted === undefined || parsed(byteStringOf(stored)) !== undefined) return;
        expect(parsed(parted.data)).to.equal(undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});
