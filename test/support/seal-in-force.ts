import type { Signer, Verifier } from '../../src/seal/note-key.js';
import type { SealHistory, SealInForce } from '../../src/sealing/seal-history.js';

/** That of a log without a decision about its seal, of which this is the key. */
export const historyOf = (key: Verifier): SealHistory => ({
  ...{ origin: key.name, key, keys: [{ verifier: key }] },
  ...{ restarts: [], keyChanges: [], unsigned: [] },
});

/** Finds that this key signs, of a log without a decision about its seal. */
export const sealBy = (signer: Signer) => (): Promise<SealInForce> =>
  Promise.resolve({ signer, history: historyOf(signer.verifier) });
