import { randomBytes } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import { parseSigner, renderSigner, type Signer, signerOf } from '../seal/note-key.js';
import { embeddedCheckpointKey } from './disk/development-secret.js';

const SEED_BYTES = 32;

/** A new signing key under this name. Left: why the name cannot be that of a key. */
export const newCheckpointKey = (name: string): E.Either<string, Signer> => signerOf(name, randomBytes(SEED_BYTES));

/** A name that no other data directory has. */
const embeddedKey = (): string => {
  const made = newCheckpointKey(`localhost/${randomBytes(8).toString('hex')}`);
  if (E.isLeft(made)) throw new Error(made.left);
  return renderSigner(made.right);
};

const textOf = async ({ checkpointKey, databaseUrl, dataDir }: SealSettings): Promise<string | undefined> => {
  if (checkpointKey !== undefined) return checkpointKey;
  return databaseUrl === undefined ? embeddedCheckpointKey(dataDir, embeddedKey) : undefined;
};

type SealSettings = Pick<Config, 'isSealed' | 'checkpointKey' | 'checkpointOrigin' | 'databaseUrl' | 'dataDir'>;

/**
 * What this process signs checkpoints with, before any restart of the seal: the configured key, else that of the data
 * directory of an embedded Postgres. Undefined where sealing is switched off, and with a `DATABASE_URL` alone: processes
 * with different keys would not accept each other's checkpoints. Left: what is wrong with the setting. Rejects with errors
 * of the file system.
 */
export const checkpointSigner = async (settings: SealSettings): Promise<E.Either<Error, Signer | undefined>> => {
  const text = settings.isSealed ? await textOf(settings) : undefined;
  if (text === undefined) return E.right(undefined);
  const signer = parseSigner(text.trim());
  if (E.isLeft(signer)) return E.left(new Error(`CHECKPOINT_KEY: ${signer.left}`));
  const { checkpointOrigin = signer.right.verifier.name } = settings;
  return E.mapLeft((fault: string) => new Error(`CHECKPOINT_ORIGIN: ${fault}`))(
    signerOf(checkpointOrigin, signer.right.seed),
  );
};
