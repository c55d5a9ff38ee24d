import { expect } from 'chai';
import { registry } from '../../src/entities/registry.js';
import { hashIn } from '../../src/event-sourcing/hash-chain.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { sealedLog } from '../support/tampered-ledger.js';

const HASH = 'a'.repeat(64);

/** Metadata that the service does not write, with the hash that it names. */
const ODD: ReadonlyArray<readonly [metadata: string, hash: string | undefined]> = [
  ['', undefined],
  ['no JSON', undefined],
  ['null', undefined],
  ['[]', undefined],
  ['{}', undefined],
  ['{"hash":5}', undefined],
  ['{"hash":null}', undefined],
  [`"${HASH}"`, undefined],
  [`{"hash":"${HASH}"}`, HASH],
  [`{ "hash" : "${HASH}" }`, HASH],
  [`{"hash":"\\u0061${HASH.slice(1)}"}`, HASH],
  [`{"hash":"one","hash":"${HASH}"}`, HASH],
  [`{"a":{"hash":"one"},"hash":"${HASH}"}`, HASH],
  ['{"hash":"short"}', 'short'],
];

describe('the hash that the ledger has of an event', () => {
  let events: ReadonlyArray<StoredEvent>;

  before(async () => {
    ({ events } = await sealedLog(2, 2));
  });

  const inLedger = (event: StoredEvent): string | null | undefined => {
    const [kind] = registry.entities.map(({ ledgerKind }) => ledgerKind);
    return kind?.recordOf(event).hash;
  };

  it('is the one that the tree is recomputed from', () => {
    for (const event of events) {
      expect(hashIn(event)).to.match(/^[0-9a-f]{64}$/);
      expect(inLedger(event)).to.equal(hashIn(event));
    }
  });

  for (const [metadata, hash] of ODD)
    it(`is so of an event with the metadata ${metadata}`, () => {
      const event = { ...events[0]!, metadata };
      expect(hashIn(event)).to.equal(hash);
      expect(inLedger(event) ?? undefined).to.equal(hash);
    });
});
