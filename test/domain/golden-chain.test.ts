import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { BusinessEvent } from '../../src/domain/business/events.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import { type BusinessState, evolveBusiness, initialBusiness } from '../../src/domain/business/state.js';
import { type BrokenLink, type ChainEnd, chainStart, extendChain } from '../../src/event-sourcing/hash-chain.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { frozenChain } from '../support/fixtures.js';

const chain = frozenChain('business');

const verify = (events: ReadonlyArray<StoredEvent>): E.Either<BrokenLink, ChainEnd> =>
  events.reduce<E.Either<BrokenLink, ChainEnd>>(
    (end, event) => (E.isLeft(end) ? end : extendChain(end.right, event)),
    E.right(chainStart),
  );

const brokenAt = (events: ReadonlyArray<StoredEvent>): readonly [bigint, string] | undefined => {
  const outcome = verify(events);
  return E.isLeft(outcome) ? [outcome.left.event.revision, outcome.left.reason] : undefined;
};

const withEvent = (index: number, change: (event: StoredEvent) => Partial<StoredEvent>): ReadonlyArray<StoredEvent> =>
  chain.map((event, at) => (at === index ? { ...event, ...change(event) } : event));

const inMetadata = (from: string, to: string) => (event: StoredEvent) => {
  expect(event.metadata).to.include(from);
  return { metadata: event.metadata.replace(from, to) };
};

describe('the history of a business as it was once stored', () => {
  it('holds every type of event', () => {
    expect(new Set(chain.map(({ type }) => type))).to.deep.equal(
      new Set(BusinessEvent.types.map(({ props }) => props.type.value)),
    );
  });

  it('verifies, link by link, up to the hash it ended with', () => {
    expect(verify(chain)).to.deep.equal(
      E.right({ revision: 11n, hash: '530b991f455661c1f16b35d5fab72739677cea2eac0e16fcb5f7924344092d71' }),
    );
  });

  it('folds into the state it came to', () => {
    const events = chain.map((stored) => {
      const decoded = businessSerde.decode(stored);
      if (E.isLeft(decoded)) throw new Error(decoded.left.reason);
      return decoded.right.event;
    });
    const folded = events.reduce<BusinessState>(
      (state, event, revision) => evolveBusiness(state, event, { revision }),
      initialBusiness,
    );
    expect(folded).to.deep.equal({
      _tag: 'Active',
      fields: {
        name: 'Łódź Söhne',
        displayName: 'Söhne',
        businessType: 'S-Corporation',
        dba: 'e\u0301 is not é',
        email: 'a@example.org',
        phone: '+48 "1"',
        website: 'https://example.org/ä?b=1',
        netWorth: -1.5,
        revenue: -0.1,
        ein: '12-3456789',
        parent: 'b2',
        line1: 'ul. Piotrkowska 1',
        line2: 'm. "2"\\3',
        city: 'Łódź',
        state: 'łódzkie',
        zip: '90-001',
        country: 'PL',
      },
      owners: [{ user: 'çelik', title: 'مدير', equity: 0 }],
      since: [1],
    });
  });

  it('shows data that was changed', () => {
    const changed = withEvent(1, ({ data }) => ({ data: data.replace('33', '34') }));
    expect(brokenAt(changed)).to.deep.equal([1n, 'dataHash does not match data']);
  });

  it('shows text that was only normalised', () => {
    const changed = withEvent(0, ({ data }) => ({ data: data.normalize('NFC') }));
    expect(brokenAt(changed)).to.deep.equal([0n, 'dataHash does not match data']);
  });

  it('shows the same JSON in another order, or with spaces', () => {
    const reversed = (text: string): object => Object.fromEntries(Object.entries(JSON.parse(text) as object).reverse());
    for (const [reorder, indent] of [
      [reversed, undefined],
      [JSON.parse, 1],
    ] as const)
      expect(
        brokenAt(withEvent(2, ({ data }) => ({ data: JSON.stringify(reorder(data), undefined, indent) }))),
      ).to.deep.equal([2n, 'data is spelled in another way than it was sealed']);
  });

  for (const [what, change] of Object.entries({
    'another actor': inMetadata('"actor":"bob"', '"actor":"eve"'),
    'another time': inMetadata('"at":"2026-01-03', '"at":"2026-01-04'),
    'another type': () => ({ type: 'BusinessOwnerRemoved' }),
    'another id': () => ({ id: '01900000-0000-7b99-8000-000000000000' }),
    'another stream': () => ({ stream: 'business-other' as const }),
  }))
    it(`shows an event under ${what}`, () => {
      expect(brokenAt(withEvent(2, change))).to.deep.equal([2n, 'hash does not match the event']);
    });

  it('shows an event that was cut out, also when the ones after it were moved down', () => {
    const cut = chain.filter((_, index) => index !== 3);
    expect(brokenAt(cut)).to.deep.equal([4n, 'revision 4, expected 3']);
    const moved = cut.map((event, index) => ({ ...event, revision: BigInt(index) }));
    expect(brokenAt(moved)).to.deep.equal([3n, 'previousHash is not the hash of the event before it']);
  });

  it('verifies where data was withheld together with its salt, and not where the salt alone stayed', () => {
    const unsalted = (event: StoredEvent) => ({
      metadata: event.metadata.replace(/"salt":"[^"]*",/, ''),
      data: '{}',
    });
    expect(verify(withEvent(1, unsalted))).to.deep.equal(verify(chain));
    expect(brokenAt(withEvent(1, () => ({ data: '{}' })))).to.deep.equal([1n, 'dataHash does not match data']);
  });

  it('shows what is no JSON instead of failing', () => {
    expect(brokenAt(withEvent(4, () => ({ data: '{' })))).to.deep.equal([4n, 'data is not JSON']);
    expect(brokenAt(withEvent(4, () => ({ metadata: '[]' })))).to.deep.equal([4n, 'metadata is no JSON object']);
    expect(brokenAt(withEvent(4, () => ({ metadata: '{' })))).to.deep.equal([4n, 'metadata is not JSON']);
  });
});
