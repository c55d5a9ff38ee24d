import { either as E, readonlyArray as RA } from 'fp-ts';
import type { Config } from '../../config.js';
import type { Manifest } from '../../backup/manifest.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { checkpointSigners } from '../../infrastructure/checkpoint-signer.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { parseVerifier, type Verifier } from '../../seal/note-key.js';
import { recordRestart } from '../../sealing/restart.js';
import { findSealHistory, sealInForce } from '../../sealing/seal-history.js';
import { describeAppendFailure } from '../log/describe-append-failure.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** What checkpoints of the restored log are signed as; `note` is for the operator. */
export type Sealing = { readonly origin: string | null; readonly note?: string };

type Wanted = {
  /** How many checkpoints the backup has. */
  readonly checkpoints: number;
  /** The installation that was backed up is gone: this one takes its place. */
  readonly replaces: boolean;
  readonly user: string;
  readonly now: Date;
};

const NO_KEY =
  'the backed-up log is signed, and these settings have no key: set CHECKPOINT_KEY_FILE. ' +
  'Beside the old installation, do not set its key without `ops log restart-seal`';

const OTHER_KEY =
  'checkpoints are signed with another key than that of the backup: who verifies them needs the new one';

const NOT_FIRST =
  'checkpoints of the backup are signed with another key of the same name: nothing is signed unless CHECKPOINT_KEY has that key first';

const isSameKey = ({ publicKey }: Verifier, key: string): boolean => {
  const parsed = parseVerifier(key);
  return E.isRight(parsed) && parsed.right.publicKey.equals(publicKey);
};

/** A name that neither the old installation nor another copy of it takes, now or later. */
const originOfCopy = (origin: string): string => `${origin}/copy-${systemRuntime.random.bytes(8).toString('hex')}`;

/** What a service with these settings signs checkpoints as; undefined where it signs none. */
export const originInForce = async (
  config: Config,
  log: Pick<LogTarget, 'readStream'>,
): Promise<string | undefined> => {
  const [first] = orThrow(await checkpointSigners(systemRuntime.random, config));
  return first === undefined ? undefined : (await findSealHistory(log, first.verifier)).origin;
};

/**
 * Sees to it that a copy beside the old installation never signs another tree than that under the same origin with the same
 * key: unless it replaces the old one, its seal begins anew. Where the backup has checkpoints and not their key, they are
 * taken for those of the key that signs here. Left: why that could not be recorded.
 */
export const beginOwnOrigin = async (
  config: Config,
  log: LogTarget,
  { seal }: Manifest,
  { checkpoints, replaces, user, now }: Wanted,
): Promise<E.Either<string, Sealing>> => {
  const signers = orThrow(await checkpointSigners(systemRuntime.random, config));
  const wasSigned = seal !== null || checkpoints > 0;
  if (!RA.isNonEmpty(signers)) return E.right({ origin: null, ...(wasSigned && config.isSealed && { note: NO_KEY }) });
  const inForce = await sealInForce(signers, log);
  if (E.isLeft(inForce)) return E.left(inForce.left.message);
  const { signer } = inForce.right;
  const { verifier } = signer;
  const replaced = verifier.name;
  if (!wasSigned) return E.right({ origin: replaced });
  // whatever the name: a key that signs two histories is what must not be, and names change when a seal is restarted
  const isOther = seal !== null && !isSameKey(verifier, seal.key);
  if (isOther && replaced !== seal.origin) return E.right({ origin: replaced, note: OTHER_KEY });
  if (replaces) return E.right({ origin: replaced, ...(isOther && { note: NOT_FIRST }) });
  const origin = originOfCopy(replaced);
  const [eventKey] = orThrow(await sharedEventKeys(systemRuntime.random, config));
  const restart = { origin, replaced, reason: 'restored from a backup, as a copy', actor: user, at: now.toISOString() };
  const recorded = await recordRestart(systemRuntime, log, restart, signer, eventKey);
  return E.bimap(
    (failure: Parameters<typeof describeAppendFailure>[0]) =>
      `the new origin of the checkpoints could not be recorded: ${describeAppendFailure(failure)}`,
    () => ({ origin, ...(isOther && { note: OTHER_KEY }) }),
  )(recorded);
};
