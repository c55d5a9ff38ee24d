import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import { type BrokenLink, type ChainEnd, chainStart, extendChain } from '../../src/event-sourcing/hash-chain.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

// one character in the place of another, or one more
const change = fc.record({
  event: fc.nat(3),
  field: fc.constantFrom('id' as const, 'type' as const, 'data' as const, 'metadata' as const, 'stream' as const),
  place: fc.nat(2_000),
  text: fc.oneof(
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    fc.constantFrom('0', 'a', 'A', '"', '-', '_'),
  ),
  inserted: fc.boolean(),
});

const aChain = (payloads: ReadonlyArray<Json>): ReadonlyArray<StoredEvent> => {
  let previousHash = GENESIS_HASH;
  return payloads.map((data, index) => {
    const fact = {
      id: `01890000-0000-7000-8000-00000000000${index}`,
      stream: 'business-b1' as const,
      revision: BigInt(index),
      type: 'NoteTaken',
      data,
      schemaVersion: 1,
      at: '2026-01-02T03:04:05.678Z',
      actor: 'alice',
      correlationId: 'request-1',
      causationId: '01890000-0000-7000-8000-0000000000ff',
      request: 'null',
      previousHash,
    };
    const { hash, ...event } = seal(fact, newSalt(systemRuntime.random));
    previousHash = hash;
    return { ...event, stream: fact.stream, revision: fact.revision, position: BigInt(index + 1) };
  });
};

const verify = (events: ReadonlyArray<StoredEvent>): E.Either<BrokenLink, ChainEnd> =>
  events.reduce<E.Either<BrokenLink, ChainEnd>>(
    (end, event) => (E.isLeft(end) ? end : extendChain(end.right, event)),
    E.right(chainStart),
  );

const payload = fc.jsonValue({ maxDepth: 2 }).map((json) => ({ payload: json })); // reason: JSON values are JSON

describe('the hash chain of a stream', () => {
  it('holds for every history that was sealed', () => {
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 5 }), (payloads) => {
        const end = verify(aChain(payloads));
        expect(E.isRight(end) && end.right.revision).to.equal(BigInt(payloads.length));
      }),
    );
  });

  it('breaks at the event in which one character is another, also where the text means the same', () => {
    fc.assert(
      fc.property(fc.array(payload, { minLength: 4, maxLength: 4 }), change, (payloads, { event, field, ...edit }) => {
        const chain = aChain(payloads);
        const original = chain[event]![field];
        const place = edit.place % original.length;
        const text = original.slice(0, place) + edit.text + original.slice(place + (edit.inserted ? 0 : 1));
        const changed = chain.map((stored, index) => (index === event ? { ...stored, [field]: text } : stored));
        const isSame = text === original;
        const outcome = verify(changed);
        expect(E.isRight(outcome) ? 'whole' : outcome.left.event.revision).to.equal(isSame ? 'whole' : BigInt(event));
      }),
      { numRuns: 500 },
    );
  });

  it('breaks at a number that canonical JSON does not have', () => {
    const [event] = aChain([{ n: 1 }]) as [StoredEvent]; // reason: one was sealed
    expect(E.isLeft(verify([{ ...event, data: '{"n":1e999}' }]))).to.equal(true);
    expect(E.isLeft(verify([{ ...event, metadata: event.metadata.replace(':1}', ':1e999}') }]))).to.equal(true);
  });

  it('breaks at a text that is spelled in another way than it was sealed, which readers may read otherwise', () => {
    const [event] = aChain([{ phone: '+1', size: 1_000, other: 9_007_199_254_740_992 }]) as [StoredEvent]; // reason: one was sealed
    const { data, metadata } = event;
    const spellings: ReadonlyArray<Partial<StoredEvent>> = [
      { data: data.replace('"phone":"+1"', '"phone":"forged","phone":"+1"') },
      { data: data.replace('{', '{ ') },
      { data: `${data}\n` },
      { data: data.replace('1000', '1000.00000000000000000001') },
      { data: data.replace('1000', '1e3') },
      { data: data.replace('9007199254740992', '9007199254740993') },
      { data: data.replace('+1', '\\u002b1') },
      { data: data.replace(/^\{(.*?),(.*)\}$/, '{$2,$1}') },
      { metadata: metadata.replace('"actor":"alice"', '"actor":"mallory","actor":"alice"') },
      { metadata: metadata.replace(/"at":"[^"]*"/, '$&,$&') },
      { metadata: metadata.replace(',', ', ') },
    ];
    for (const spelling of spellings) {
      expect(spelling).not.to.deep.equal({ data }).and.not.to.deep.equal({ metadata });
      expect(verify([{ ...event, ...spelling }]), JSON.stringify(spelling)).to.have.nested.property(
        'left.reason',
        `${spelling.data === undefined ? 'metadata' : 'data'} is spelled in another way than it was sealed`,
      );
    }
  });

  it('breaks where an event is missing, doubled or moved', () => {
    const chain = aChain([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
    const [a, b, c, d] = chain as [StoredEvent, StoredEvent, StoredEvent, StoredEvent]; // reason: four were sealed
    for (const broken of [
      [b, c, d],
      [a, c, d],
      [a, b, b, c],
      [a, c, b, d],
    ]) {
      expect(E.isLeft(verify(broken))).to.equal(true);
      const renumbered = broken.map((event, index) => ({ ...event, revision: BigInt(index) }));
      expect(E.isLeft(verify(renumbered))).to.equal(true);
    }
  });

  it('breaks when the salt is spelled in another way, though it says the same bytes', () => {
    const [event] = aChain([{ n: 0 }]) as [StoredEvent]; // reason: one was sealed
    const respelled = event.metadata.replace(/("salt":"[^"]*)"/, '$1=="');
    expect(respelled).not.to.equal(event.metadata);
    expect(E.isLeft(verify([{ ...event, metadata: respelled }]))).to.equal(true);
  });

  describe('where data was withheld', () => {
    const [event] = aChain([{ secret: true }]) as [StoredEvent]; // reason: one was sealed
    const unsalted = event.metadata.replace(/,"salt":"[^"]*"/, '');

    it('holds without the salt, for data that says nothing', () => {
      for (const data of ['{}', 'null'])
        expect(E.isRight(verify([{ ...event, data, metadata: unsalted }]))).to.equal(true);
    });

    it('breaks when other data stands there, which nothing vouches for', () => {
      for (const data of ['{"secret":false}', event.data, '[]'])
        expect(verify([{ ...event, data, metadata: unsalted }])).to.have.nested.property(
          'left.reason',
          'data without its salt cannot be verified',
        );
    });
  });
});
