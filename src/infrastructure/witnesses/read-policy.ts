import { either as E } from 'fp-ts';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { Verifier } from '../../seal/note-key.js';
import { fromUtf8 } from '../../seal/text.js';
import { attempt } from '../../event-sourcing/attempt.js';
import { parseWitnessPolicy, type WitnessPolicy } from '../../sealing/witness-policy.js';

const failure = (file: string, why: string): Error => new Error(`WITNESS_POLICY: ${file}: ${why}`);

/** The policy in a file, for the checkpoints of keys, one of which signs. Left: why it cannot be followed. */
export const readWitnessPolicy = async (
  readFile: (file: string) => Promise<Buffer>,
  file: string,
  keys: ReadonlyArray<Pick<Verifier, 'publicKey'>>,
): Promise<E.Either<Error, WitnessPolicy>> => {
  const read = await attempt(() => readFile(file), reasonOf);
  if (E.isLeft(read)) return E.left(failure(file, `it cannot be read: ${read.left}`));
  const text = fromUtf8(read.right);
  if (text === undefined) return E.left(failure(file, 'it is not UTF-8'));
  const policy = parseWitnessPolicy(text);
  if (E.isLeft(policy)) return E.left(failure(file, policy.left));
  const { logs, witnesses, isQuorum } = policy.right;
  const isNamed = (log: Verifier): boolean => keys.some(({ publicKey }) => log.publicKey.equals(publicKey));
  if (logs.length > 0 && !logs.some(isNamed))
    return E.left(failure(file, 'its lines log do not name the key that signs checkpoints here'));
  const asked = witnesses.filter(({ url }) => url !== undefined);
  if (asked.length === 0 || !isQuorum(new Set(asked.map(({ name }) => name))))
    return E.left(failure(file, 'the witnesses that have an address cannot make its quorum'));
  return policy;
};
