import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import { linesOf } from '../config/variables.js';
import { parseSigner, renamedSigner, renderSigner, type Signer, signerOf } from '../seal/note-key.js';
import { embeddedCheckpointKey } from './disk/development-secret.js';
import type { Random } from '../event-sourcing/random.js';

const SEED_BYTES = 32;

/** A new signing key under this name. Left: why the name cannot be that of a key. */
export const newCheckpointKey = (random: Random, name: string): E.Either<string, Signer> =>
  signerOf(name, random.bytes(SEED_BYTES));

/** A name that no other data directory has. */
const embeddedKey = (random: Random): string => {
  const made = newCheckpointKey(random, `localhost/${random.bytes(8).toString('hex')}`);
  if (E.isLeft(made)) throw new Error(made.left);
  return `${renderSigner(made.right)}\n`;
};

const textOf = async (
  random: Random,
  { checkpointKey, databaseUrl, dataDir }: SealSettings,
): Promise<string | undefined> => {
  if (checkpointKey !== undefined) return checkpointKey;
  return databaseUrl === undefined ? embeddedCheckpointKey(random, dataDir, embeddedKey) : undefined;
};

type SealSettings = Pick<Config, 'isSealed' | 'checkpointKey' | 'checkpointOrigin' | 'databaseUrl' | 'dataDir'>;

const parseSigners = (text: string, origin: string | undefined): E.Either<Error, ReadonlyArray<Signer>> => {
  const signers = E.traverseArray(parseSigner)(linesOf(text));
  if (E.isLeft(signers)) return E.left(new Error(`CHECKPOINT_KEY: ${signers.left}`));
  const names = new Set(signers.right.map(({ verifier }) => origin ?? verifier.name));
  if (names.size > 1)
    return E.left(
      new Error(
        `CHECKPOINT_KEY: expected keys of one name, because one replaces another (${[...names].join(', ')}): ops log new-key makes them`,
      ),
    );
  if (names.size === 0) return E.left(new Error('CHECKPOINT_KEY: expected a key a line, and there is none'));
  const named = (signer: Signer): E.Either<string, Signer> =>
    origin === undefined ? E.right(signer) : renamedSigner(signer, origin);
  return E.mapLeft((fault: string) => new Error(`CHECKPOINT_ORIGIN: ${fault}`))(E.traverseArray(named)(signers.right));
};

/**
 * What this process signs checkpoints with, under the name before any restart of the seal: the configured keys, else those of the data
 * directory of an embedded Postgres. The log says which of them signs (`sealInForce`): the first one, unless it was replaced. None
 * where sealing is switched off, and with a `DATABASE_URL` alone: processes with different keys would not accept each other's
 * checkpoints. Left: what is wrong with the setting. Rejects with errors of the file system.
 */
export const checkpointSigners = async (
  random: Random,
  settings: SealSettings,
): Promise<E.Either<Error, ReadonlyArray<Signer>>> => {
  const text = settings.isSealed ? await textOf(random, settings) : undefined;
  return text === undefined ? E.right([]) : parseSigners(text, settings.checkpointOrigin);
};
