import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { seal } from '../../src/event-sourcing/envelope.js';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { macStatusOf } from '../../src/event-sourcing/event-mac.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { oneKey, otherKey } from '../support/event-keys.js';
import { stored } from '../support/recorded.js';

type Vector = {
  readonly name: string;
  readonly fact: Omit<Parameters<typeof seal>[0], 'revision'> & { readonly revision: string };
  readonly salt: string;
  readonly secret: string;
  readonly sealed: ReturnType<typeof seal>;
};

// reason: the project's own fixture, compared as a whole below. It was made by another program, in Python.
const vectors = JSON.parse(
  readFileSync(new URL('../fixtures/envelope-mac-vectors.json', import.meta.url), 'utf8'),
) as ReadonlyArray<Vector>;

describe('the mac of an event', () => {
  for (const { name, fact, salt, secret, sealed } of vectors) {
    const { stream } = fact;
    const revision = BigInt(fact.revision);
    const event: StoredEvent = { ...sealed, stream, revision, position: 1n };

    it(`is sealed into ${name} as it was when the form was fixed`, () => {
      expect(seal({ ...fact, revision }, salt, makeEventKey(secret))).to.deep.equal(sealed);
    });

    it(`is that of ${name} which anyone with the key can compute`, () => {
      const { id, type, metadata } = sealed;
      const { mac } = JSON.parse(metadata) as { readonly mac: string }; // reason: compared below
      const without = metadata.replace(/"hash":"[^"]*","mac":"[^"]*",/, '').replace(/"salt":"[^"]*",/, '');
      const envelope =
        `{"id":${JSON.stringify(id)},"metadata":${without},"revision":"${fact.revision}",` +
        `"stream":${JSON.stringify(stream)},"type":${JSON.stringify(type)}}`;
      expect(mac.slice(9)).to.equal(createHmac('sha256', secret).update(envelope).digest('base64url'));
    });

    it(`is found to fit ${name}, whichever of the keys it is under`, () => {
      const key = makeEventKey(secret);
      expect(macStatusOf([key], event)).to.equal('Fits');
      expect(macStatusOf([oneKey, key, otherKey], event)).to.equal('Fits');
      expect(macStatusOf([oneKey, otherKey], event)).to.equal('UnknownKey');
      expect(macStatusOf([], event)).to.equal('NotChecked');
    });
  }

  const event = stored({ type: 'NoteTaken', data: { text: 'a' } }, { eventKey: oneKey });

  const withMac = (change: (mac: unknown) => unknown, from: StoredEvent = event): StoredEvent => {
    const metadata = JSON.parse(from.metadata) as { readonly mac: string }; // reason: written by seal
    return { ...from, metadata: JSON.stringify({ ...metadata, mac: change(metadata.mac) }) };
  };

  it('fits the event that it was made for, and no other', () => {
    const inMetadata = (from: string, to: string): StoredEvent => {
      expect(event.metadata).to.include(from);
      return { ...event, metadata: event.metadata.replace(from, to) };
    };
    expect(macStatusOf([oneKey], event)).to.equal('Fits');
    const others: ReadonlyArray<StoredEvent> = [
      { ...event, id: '01890000-0000-7000-8000-000000000001' },
      { ...event, stream: 'business-b2' },
      { ...event, revision: 1n },
      { ...event, type: 'NoteTorn' },
      inMetadata('"actor":"alice"', '"actor":"mallory"'),
      inMetadata('"dataHash":"', '"dataHash":"0'),
      inMetadata('"previousHash":"0', '"previousHash":"1'),
      inMetadata('"schemaVersion":1', '"schemaVersion":1,"zone":"eu"'),
      // which JCS cannot carry
      inMetadata('"schemaVersion":1', '"schemaVersion":1e999'),
    ];
    expect(others.map((other) => macStatusOf([oneKey], other))).to.deep.equal(others.map(() => 'DoesNotFit'));
  });

  it('does not depend on salt and hash, so that data can be withheld', () => {
    const withheld = event.metadata.replace(/"salt":"[^"]*",/, '').replace(/"hash":"[^"]*",/, '');
    expect(macStatusOf([oneKey], { ...event, metadata: withheld, data: '{}' })).to.equal('Fits');
  });

  it('has one spelling', () => {
    const spellings: ReadonlyArray<(mac: unknown) => unknown> = [
      (mac) => String(mac).toUpperCase(),
      (mac) => `${String(mac)}=`,
      (mac) => String(mac).replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
      (mac) => String(mac).slice(9),
      (mac) => [mac],
      () => null,
      () => '',
      () => 1,
    ];
    expect(spellings.map((change) => macStatusOf([oneKey], withMac(change)))).to.deep.equal(
      spellings.map(() => 'DoesNotFit'),
    );
  });

  it('is not there where no key was, or where metadata is no envelope at all', () => {
    const plain = stored({ type: 'NoteTaken', data: { text: 'a' } });
    const broken = ['', '{', 'null', '[]', '"mac"'].map((metadata) => ({ ...event, metadata }));
    for (const without of [plain, ...broken]) expect(macStatusOf([oneKey], without)).to.equal('None');
  });

  it('of two keys with one id, may be under either', () => {
    const twin = { ...otherKey, id: oneKey.id };
    expect(macStatusOf([twin, oneKey], event)).to.equal('Fits');
    expect(macStatusOf([twin], event)).to.equal('DoesNotFit');
  });
});
