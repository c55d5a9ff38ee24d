import { either as E, readonlyArray as RA } from 'fp-ts';
import type { Config } from '../../config.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { checkpointSigners } from '../../infrastructure/checkpoint-signer.js';
import { type SealInForce, sealInForce } from '../../sealing/seal-history.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/**
 * What checkpoints of this log are signed with now, as the log says it, among the configured keys. Left: why there is none.
 * Throws `StoreUnavailable`.
 */
export const currentSeal = async (
  config: Config,
  store: Pick<EventStore, 'readStream'>,
): Promise<E.Either<string, SealInForce>> => {
  const signers = await checkpointSigners(systemRuntime.random, config);
  if (E.isLeft(signers)) return E.left(signers.left.message);
  if (!config.isSealed)
    return E.left('the log is not sealed (SEALING=false), so there is nothing to prove events with');
  if (!RA.isNonEmpty(signers.right))
    return E.left('there is no key to sign the pack with: set CHECKPOINT_KEY_FILE to that of the service');
  return E.mapLeft(({ message }: Error) => message)(await sealInForce(signers.right, store));
};
