import { either as E } from 'fp-ts';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { type Signer, signerOf, type Verifier } from '../../seal/note-key.js';
import { findRestarts, originAfter } from '../../sealing/restart.js';
import type { LogWitnesses } from './log-checks.js';

type Keys = {
  /** Of the settings. */
  readonly signer: Signer | undefined;
  readonly eventKeys: EventKeys;
  /** Known by itself, and for its own origin alone. */
  readonly given?: Verifier | undefined;
};

/**
 * The origin that is in force, and the keys by which checkpoints are known: the key of the settings under the name of each
 * origin, and the one given. A text where there is no key. Throws what the log throws.
 */
export const findSeal = async (
  store: Pick<EventStore, 'readStream'>,
  { signer, eventKeys, given }: Keys,
): Promise<LogWitnesses['seal']> => {
  const name = signer?.verifier.name ?? given?.name;
  if (name === undefined) return 'no key is known (CHECKPOINT_KEY_FILE, or --key)';
  return {
    origin: originAfter(name, await findRestarts(store, eventKeys)),
    findVerifier: (origin) => {
      if (origin === given?.name) return given;
      const renamed = signer && signerOf(origin, signer.seed);
      return renamed && E.isRight(renamed) ? renamed.right.verifier : undefined;
    },
  };
};
