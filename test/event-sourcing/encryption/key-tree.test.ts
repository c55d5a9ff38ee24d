import { expect } from 'chai';
import fc from 'fast-check';
import { type KeyPath, keyPath, KeyTree, recordPath } from '../../../src/event-sourcing/encryption/key-tree.js';
import type { Random } from '../../../src/event-sourcing/random.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** Of which every seed and key below is known for ever. */
const fixed: Random = { ...systemRuntime.random, bytes: (size) => Buffer.alloc(size, 7) };

const STREAMS = Array.from({ length: 12 }, (_, at): StreamName => `business-${at}`);
const REVISIONS = [0n, 1n, 15n, 16n, 255n, 256n, 10_000n];

const PLACES: ReadonlyArray<KeyPath> = STREAMS.flatMap((stream) => [
  keyPath(stream, 'record'),
  ...REVISIONS.map((revision) => keyPath(stream, revision)),
]);

const hexOf = (tree: KeyTree, place: KeyPath): string | undefined => tree.keyAt(place)?.toString('hex');

/** What the cipher of a place makes of a block. */
const encryptedAt = (tree: KeyTree, place: KeyPath): string | undefined => {
  const cipher = tree.cipherAt(place);
  const bytes = Buffer.alloc(32, 1);
  cipher?.(bytes, [{ start: 16, size: 16 }]);
  return cipher && bytes.toString('hex');
};

const destroyable = fc.constantFrom(...STREAMS.map(recordPath), ...PLACES);

describe('the tree of keys', () => {
  it('derives the same keys from the same root for ever', () => {
    const tree = KeyTree.grow(fixed);
    expect([keyPath('business-1', 'record'), keyPath('business-1', 0n), keyPath('business-1', 4_097n)]).to.deep.equal([
      // the first 64 bits of the SHA-256 of the name, and a way below that
      '287a490523faca520',
      '287a490523faca5210',
      '287a490523faca5241001',
    ]);
    // by an implementation of its own, in Python
    expect([hexOf(tree, keyPath('business-1', 'record')), hexOf(tree, keyPath('business-1', 4_097n))]).to.deep.equal([
      'fa2efd2f91d3e19f97c8bc5c4e0da30c9e60950ed35a4aa35db361558c4178b0',
      '26cf39f2d0f622af8319e17b63038cb61e482d7c542de1b8eb024efb51142998',
    ]);
  });

  it('after any destroying every other key is the same, and the destroyed ones are not to be had', () => {
    fc.assert(
      fc.property(fc.array(fc.array(destroyable, { maxLength: 4 }), { maxLength: 5 }), (rounds) => {
        const whole = KeyTree.grow(fixed);
        const left = rounds.reduce((tree, places) => {
          // whose ciphers it remembers
          for (const place of PLACES) tree.cipherAt(place);
          return tree.without(places);
        }, whole);
        const destroyed = rounds.flat();
        for (const place of PLACES) {
          const isDestroyed = destroyed.some((each) => place.startsWith(each));
          expect(hexOf(left, place)).to.equal(isDestroyed ? undefined : hexOf(whole, place));
          expect(encryptedAt(left, place)).to.equal(isDestroyed ? undefined : encryptedAt(whole, place));
        }
        expect(KeyTree.fromBytes(left.toBytes())?.toBytes()).to.deep.equal(left.toBytes());
      }),
      { numRuns: 30 },
    );
  });

  it('has in common with another of its root what is destroyed in neither', () => {
    const places = fc.array(destroyable, { maxLength: 6 });
    fc.assert(
      fc.property(places, places, (one, other) => {
        const whole = KeyTree.grow(fixed);
        const both = whole.without(one).and(whole.without(other));
        expect(both.toBytes()).to.deep.equal(whole.without([...one, ...other]).toBytes());
      }),
      { numRuns: 30 },
    );
  });

  it('keeps no seed from which a destroyed key could be derived, whoever looks at its bytes', () => {
    const destroyed = [recordPath('business-1'), keyPath('business-2', 10_000n)];
    const bytes = KeyTree.grow(fixed).without(destroyed).toBytes();
    const paths = Array.from({ length: bytes.length / 49 }, (_, at) =>
      bytes.toString('hex', at * 49, at * 49 + 16).slice(0, bytes[at * 49 + 16]),
    );
    expect(paths.filter((path) => destroyed.some((place) => place.startsWith(path) || path.startsWith(place)))).to.be
      .empty;
    // fifteen siblings at each of 16 and 21 digits; at the first one they are fourteen, of both ways
    expect(paths.length).to.equal(16 * 15 + 21 * 15 - 16);
  });

  it('is the same tree when nothing is left to destroy', () => {
    const tree = KeyTree.grow(fixed).without([recordPath('business-1')]);
    expect(
      tree.without([recordPath('business-1'), keyPath('business-1', 3n), keyPath('business-1', 'record')]),
    ).to.equal(tree);
    expect(tree.without([])).to.equal(tree);
  });

  it('destroys the ten thousand events of an owner at once', () => {
    const places = Array.from({ length: 10_000 }, (_, revision) => keyPath('business-1', BigInt(revision)));
    const tree = KeyTree.grow(fixed).without(places);
    expect([
      hexOf(tree, keyPath('business-1', 9_999n)),
      hexOf(tree, keyPath('business-1', 10_000n))?.length,
    ]).to.deep.equal([undefined, 64]);
  });

  it('is not taken from bytes that are none, or are those of two trees', () => {
    const bytes = KeyTree.grow(fixed).toBytes();
    const changed = Buffer.from(bytes);
    changed[16] = 1;
    expect([
      KeyTree.fromBytes(bytes.subarray(1)),
      KeyTree.fromBytes(Buffer.concat([bytes, bytes])),
      KeyTree.fromBytes(
        Buffer.concat([
          bytes,
          KeyTree.grow(fixed)
            .without([recordPath('business-1')])
            .toBytes(),
        ]),
      ),
    ]).to.deep.equal([undefined, undefined, undefined]);
  });
});
