import { expect } from 'chai';
import type { Verifier } from '../../../src/seal/note-key.js';
import { findSeal } from '../../../src/infrastructure/verification/find-seal.js';
import { signerNamed } from '../../support/checkpoints.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';

const [ORIGIN, OTHER] = ['log.example', 'elsewhere.example'];
const { verifier: own } = signerNamed(ORIGIN);
const { verifier: given } = signerNamed(OTHER, 'the key of another');

/** The ids of the keys by which checkpoints of an origin are known. */
const known = async (keys: Parameters<typeof findSeal>[1], origin: string): Promise<ReadonlyArray<string>> => {
  const seal = await findSeal(makeInMemoryEventStore(), keys);
  if (typeof seal === 'string') throw new Error(seal);
  return seal.findKeys(origin).map(({ verifier }) => verifier.id);
};

const idsOf = (...keys: ReadonlyArray<Verifier>): ReadonlyArray<string> => keys.map(({ id }) => id);

describe('the keys of the checkpoints of a log', () => {
  it('are those of the settings, and the given one under its own origin alone', async () => {
    const ownElsewhere = signerNamed(OTHER).verifier;
    expect(await known({ own }, OTHER)).to.deep.equal(idsOf(ownElsewhere));
    expect(await known({ own, given }, OTHER)).to.deep.equal(idsOf(ownElsewhere, given));
    expect(await known({ own, given }, ORIGIN)).to.deep.equal(idsOf(own));
  });

  it('have a given one once, when it is that of the settings', async () => {
    expect(await known({ own, given: own }, ORIGIN)).to.deep.equal(idsOf(own));
  });

  it('are the given one where the settings have none, and nothing is known without both', async () => {
    expect(await known({ own: undefined, given }, OTHER)).to.deep.equal(idsOf(given));
    expect(await findSeal(makeInMemoryEventStore(), { own: undefined })).to.equal(
      'no key is known (CHECKPOINT_KEY_FILE, or --key)',
    );
  });
});
