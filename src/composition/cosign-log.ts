import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import { logCosigning } from '../infrastructure/logging/log-cosigning.js';
import type { LedgerSeal } from '../infrastructure/postgres/read-models/open-read-models.js';
import { makePostText } from '../infrastructure/witnesses/post-text.js';
import { readWitnessPolicy } from '../infrastructure/witnesses/read-policy.js';
import type { Verifier } from '../seal/note-key.js';
import { proveConsistency } from '../seal/proofs.js';
import { type Cosigning, type CosigningEvent, keepCosigning } from '../sealing/keep-cosigning.js';
import type { ServiceContext } from './service-context.js';

/**
 * Has checkpoints cosigned by the witnesses of `WITNESS_POLICY`; undefined where there is none. Throws an error that names what is wrong with the policy.
 */
export const cosignLog = async (
  {
    config,
    log,
    runtime,
    adapters,
    started,
  }: Pick<ServiceContext, 'config' | 'log' | 'runtime' | 'adapters' | 'started'>,
  keys: ReadonlyArray<Verifier>,
  { openCosigned }: Pick<LedgerSeal, 'openCosigned'>,
  count: (event: CosigningEvent) => void,
): Promise<Cosigning | undefined> => {
  if (config.witnessPolicy === undefined) return undefined;
  const policy = orThrow(await readWitnessPolicy(adapters.readFile, config.witnessPolicy, keys));
  const { largestOf, record, readTiles } = await openCosigned();
  const ending = new AbortController();
  const logEvent = logCosigning(log);
  const cosigning = keepCosigning({
    clock: runtime.clock,
    policy,
    post: makePostText({ clock: runtime.clock, fetch: adapters.fetch, signal: ending.signal }),
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
