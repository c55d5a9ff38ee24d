import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { checkpointSigner } from '../../infrastructure/checkpoint-signer.js';
import type { Signer } from '../../seal/note-key.js';
import { signerInForce } from '../../sealing/restart.js';

/**
 * What checkpoints of this log are signed with now: the configured key, under the origin of the last restart of the seal.
 * Left: why there is none. Throws `StoreUnavailable`.
 */
export const currentSigner = async (
  config: Config,
  store: Pick<EventStore, 'readStream'>,
): Promise<E.Either<string, Signer>> => {
  const signer = await checkpointSigner(config);
  if (E.isLeft(signer)) return E.left(signer.left.message);
  if (!config.isSealed)
    return E.left('the log is not sealed (SEALING=false), so there is nothing to prove events with');
  if (signer.right === undefined)
    return E.left('there is no key to sign the pack with: set CHECKPOINT_KEY_FILE to that of the service');
  return E.right(await signerInForce(signer.right, store));
};
