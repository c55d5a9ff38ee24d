import type { EventStore } from '../../event-sourcing/event-store.js';
import type { Verifier } from '../../seal/note-key.js';
import { findSealHistory, keysOf } from '../../sealing/seal-history.js';
import type { LogWitnesses } from './log-checks.js';

type Keys = {
  /** Of the settings. */
  readonly own: Verifier | undefined;
  /** Of an auditor. Checkpoints are known by it only under its own origin. */
  readonly given?: Verifier | undefined;
};

/**
 * What operators have decided about origin and key of the checkpoints, and the keys by which these are known: the key of the
 * settings, those before and behind it, and the one given. A text where there is no key. Throws what the log throws.
 */
export const findSeal = async (
  store: Pick<EventStore, 'readStream'>,
  { own, given }: Keys,
): Promise<LogWitnesses['seal']> => {
  const key = own ?? given;
  if (key === undefined) return 'no key is known (CHECKPOINT_KEY_FILE, or --key)';
  const history = await findSealHistory(store, key);
  const findKeys = keysOf(history);
  return {
    history,
    findKeys: (origin) => {
      const keys = findKeys(origin);
      const isKnown = given === undefined || keys.some(({ verifier }) => verifier.id === given.id);
      return given === undefined || isKnown || origin !== given.name ? keys : [...keys, { verifier: given }];
    },
  };
};
