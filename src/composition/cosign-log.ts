import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import { logCosigning } from '../infrastructure/logging/log-cosigning.js';
import { makeCosigned } from '../infrastructure/postgres/seal/cosigned.js';
import { makePostText } from '../infrastructure/witnesses/post-text.js';
import { readWitnessPolicy } from '../infrastructure/witnesses/read-policy.js';
import type { makePool } from '../postgres/pool.js';
import type { Verifier } from '../seal/note-key.js';
import { proveConsistency } from '../seal/proofs.js';
import { type Cosigning, type CosigningEvent, keepCosigning } from '../sealing/keep-cosigning.js';
import type { ServiceContext } from './service-context.js';

/**
 * Has checkpoints cosigned by the witnesses of `WITNESS_POLICY`; undefined where there is none. `pool` is for it alone. Throws
 * an error that names what is wrong with the policy.
 */
export const cosignLog = async (
  { config, log, runtime, started }: Pick<ServiceContext, 'config' | 'log' | 'runtime' | 'started'>,
  keys: ReadonlyArray<Verifier>,
  pool: ReturnType<typeof makePool>,
  ledger: string,
  count: (event: CosigningEvent) => void,
): Promise<Cosigning | undefined> => {
  if (config.witnessPolicy === undefined) return undefined;
  const policy = orThrow(await readWitnessPolicy(config.witnessPolicy, keys));
  const { largestOf, record, readTiles } = await makeCosigned(pool, ledger);
  const ending = new AbortController();
  const logEvent = logCosigning(log);
  const cosigning = keepCosigning({
    clock: runtime.clock,
    policy,
    post: makePostText(runtime.clock, ending.signal),
    proveIn:
      ({ size }) =>
      async (old) => {
        const proof = await proveConsistency(old, size, readTiles);
        if (E.isLeft(proof)) throw new Error(`the tree has no proof from ${old} events to ${size}: ${proof.left._tag}`);
        return proof.right;
      },
    largestOf,
    record,
    onEvent: (event) => {
      count(event);
      logEvent(event);
    },
  });
  started.add(async () => {
    ending.abort();
    await cosigning.stop();
  });
  return cosigning;
};
