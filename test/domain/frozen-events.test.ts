import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { BusinessEvent } from '../../src/domain/business/events.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import { DocumentEvent } from '../../src/domain/document/events.js';
import { documentSerde } from '../../src/domain/document/serde.js';
import { extendChain } from '../../src/event-sourcing/hash-chain.js';
import type { Metadata } from '../../src/event-sourcing/envelope.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent, Serde } from '../../src/event-sourcing/serde.js';
import { frozenEvent } from '../support/fixtures.js';

// An event that was stored in a version is in the logs of users for ever. A new type or version brings its fixture:
// one event as the store holds it, which `/events?proof=true` shows whole.
const frozen = (type: string, version: number): StoredEvent => {
  const event = frozenEvent(type, version);
  if (event === undefined) throw new Error(`test/fixtures/events/${type}.v${version}.json is missing`);
  return event;
};

// reason: decoded by the test before
const metadataOf = ({ metadata }: StoredEvent): Metadata => JSON.parse(metadata) as Metadata;

const staysReadable = <Event extends DomainEvent>(type: Event['type'], { schemaVersionOf, decode }: Serde<Event>) => {
  const current = schemaVersionOf(type);
  for (let version = 1; version <= current; version++) {
    it(`keep ${type} of version ${version} readable`, () => {
      const stored = frozen(type, version);
      const decoded = decode(stored);
      expect(metadataOf(stored).schemaVersion).to.equal(version);
      expect(E.isRight(decoded) && decoded.right.event.type).to.equal(type);
      if (version === current)
        expect(E.isRight(decoded) && decoded.right.event.data).to.deep.equal(JSON.parse(stored.data));
    });

    it(`keep the hashes of ${type} of version ${version} true`, () => {
      const stored = frozen(type, version);
      const { previousHash, hash } = metadataOf(stored);
      const { revision } = stored;
      expect(extendChain({ revision, hash: previousHash }, stored)).to.deep.equal(
        E.right({ revision: revision + 1n, hash }),
      );
    });
  }
};

describe('events as they were once stored', () => {
  for (const { props } of BusinessEvent.types) staysReadable(props.type.value, businessSerde);
  for (const { props } of DocumentEvent.types) staysReadable(props.type.value, documentSerde);
});
