import type { EventStore } from '../../event-sourcing/event-store.js';
import type { Verifier } from '../../seal/note-key.js';
import { findRestarts, originAfter, underAnyName } from '../../sealing/restart.js';
import type { LogWitnesses } from './log-checks.js';

type Keys = {
  /** Of the settings. */
  readonly own: Verifier | undefined;
  /** Checkpoints are known by it only under its own origin. */
  readonly given?: Verifier | undefined;
};

/**
 * The origin that is in force, how it came to be, and the keys by which checkpoints are known: the key of the settings under
 * the name of each origin, and the one given. A text where there is no key. Throws what the log throws.
 */
export const findSeal = async (
  store: Pick<EventStore, 'readStream'>,
  { own, given }: Keys,
): Promise<LogWitnesses['seal']> => {
  const key = own ?? given;
  if (key === undefined) return 'no key is known (CHECKPOINT_KEY_FILE, or --key)';
  const restarts = await findRestarts(store, key.name, underAnyName(key));
  return {
    origin: originAfter(key.name, restarts.valid),
    restarts,
    findVerifier: (origin) => {
      if (origin === given?.name) return given;
      return own && underAnyName(own)(origin);
    },
  };
};
