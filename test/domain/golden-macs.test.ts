import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businessSerde } from '../../src/domain/business/serde.js';
import { byteStringOf } from '../../src/event-sourcing/byte-string.js';
import { envelopeTexts } from '../../src/event-sourcing/envelope-texts.js';
import { type BrokenLink, type ChainEnd, chainStart, extendChain } from '../../src/event-sourcing/hash-chain.js';
import { macStatusOf } from '../../src/event-sourcing/event-mac.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { frozenKey } from '../support/event-keys.js';
import { frozenChain } from '../support/fixtures.js';

const chain = frozenChain('business-with-macs');

const verify = (events: ReadonlyArray<StoredEvent>): E.Either<BrokenLink, ChainEnd> =>
  events.reduce<E.Either<BrokenLink, ChainEnd>>(
    (end, event) => (E.isLeft(end) ? end : extendChain(end.right, event)),
    E.right(chainStart),
  );

describe('the history of a business as it was once stored under a key', () => {
  it('verifies, link by link, up to the hash it ended with', () => {
    expect(verify(chain)).to.deep.equal(
      E.right({ revision: 11n, hash: '89cc37155244308a7016fea11c1189b873fb97fd0482085994428f42245c83ca' }),
    );
  });

  it('has a mac that fits each event', () => {
    expect(chain.map((event) => macStatusOf([frozenKey], event))).to.deep.equal(chain.map(() => 'Fits'));
  });

  it('is read as one without macs is', () => {
    const data = (events: ReadonlyArray<StoredEvent>) =>
      events.map((event) => {
        const decoded = businessSerde.decode(event);
        return E.isRight(decoded) ? decoded.right.event : decoded.left.reason;
      });
    expect(data(chain)).to.deep.equal(data(frozenChain('business')));
    expect(data(chain)[0]).to.include({ type: 'BusinessCreated' });
    expect(
      chain.map(({ metadata }) => envelopeTexts({ metadata: byteStringOf(metadata) }) !== undefined),
    ).to.deep.equal(chain.map(({ metadata }) => !metadata.includes('\\')));
  });

  it('shows a mac that was changed or cut out as any other change', () => {
    for (const [from, to] of [
      [/"mac":"c/, '"mac":"d'],
      [/"mac":"[^"]*",/, ''],
    ] as const) {
      const changed = chain.map((event, index) =>
        index === 2 ? { ...event, metadata: event.metadata.replace(from, to) } : event,
      );
      const outcome = verify(changed);
      expect(E.isLeft(outcome) && [outcome.left.event.revision, outcome.left.reason]).to.deep.equal([
        2n,
        'hash does not match the event',
      ]);
    }
  });
});
