import { either as E } from 'fp-ts';
import { makeLedgerSource } from '../../../projections/engine/verify/ledger/ledger-source.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { OnLogFault } from '../../event-sourcing/whole-log/log-fault.js';
import { checkpointSigner } from '../../infrastructure/checkpoint-signer.js';
import { makeCheckpointArchive, type UnfitObject } from '../../infrastructure/checkpoints/checkpoint-archive.js';
import { openStorage } from '../../infrastructure/open-storage.js';
import { configuredDatabase, openDatabase, type OpenLog } from '../../infrastructure/open-stores.js';
import { makeSealedTree } from '../../infrastructure/postgres/seal/sealed-tree-queries.js';
import type { LogWitnesses } from '../../infrastructure/verification/log-checks.js';
import { signerOf, type Verifier } from '../../seal/note-key.js';
import type { FindVerifier } from '../../sealing/kept-checkpoint.js';
import { findRestarts, originAfter } from '../../sealing/restart.js';
import { makeCommandPool } from '../command-pool.js';
import { printNote } from '../output.js';

type Seal = LogWitnesses['seal'];

/**
 * The origin in force, and the keys by which checkpoints are known: those of the settings, and `given`. Left: what is wrong
 * with the settings. Throws what the log throws.
 */
export const findSeal = async (
  config: Config,
  store: Pick<EventStore, 'readStream'>,
  eventKeys: EventKeys,
  given: Verifier | undefined,
): Promise<E.Either<Error, Seal>> => {
  const signer = await checkpointSigner(config);
  if (E.isLeft(signer)) return signer;
  const base = signer.right;
  const findVerifier: FindVerifier = (origin) => {
    if (origin === given?.name) return given;
    const renamed = base && signerOf(origin, base.seed);
    return renamed && E.isRight(renamed) ? renamed.right.verifier : undefined;
  };
  const name = base?.verifier.name ?? given?.name;
  if (name === undefined) return E.right('no key is known (CHECKPOINT_KEY_FILE, or --key)');
  return E.right({ origin: originAfter(name, await findRestarts(store, eventKeys)), findVerifier });
};

type OpenWitnesses = Pick<LogWitnesses, 'source' | 'tree' | 'archive'> & { readonly close: () => Promise<void> };

/** Opens the checkpoints in the storage of files. What is kept there and is no checkpoint is a fault. */
const openArchive = async (config: Config, onFault: OnLogFault): Promise<Pick<OpenWitnesses, 'archive' | 'close'>> => {
  const storage = await openStorage(config);
  if (E.isLeft(storage)) return { archive: storage.left.message, close: () => Promise.resolve() };
  const { checkpoints, space } = storage.right;
  const onUnfit = ({ key, reason }: UnfitObject): void =>
    onFault({ kind: 'checkpoint-invalid', reason: `${key} in the file storage is no checkpoint: ${reason}` });
  return {
    archive: makeCheckpointArchive(checkpoints, { onUnfit }),
    close: async () => {
      await space?.stop();
    },
  };
};

/** Opens the database of the read models, which may be away where the log is in another store, and the file storage. */
export const openWitnesses = async (
  config: Config,
  registry: Registry,
  own: OpenLog['database'],
  onFault: OnLogFault,
): Promise<OpenWitnesses> => {
  const opened =
    own === undefined
      ? await openDatabase(configuredDatabase(config), { processKind: 'operator', onPostgresLog: printNote })
      : E.right({ ...own, close: () => Promise.resolve() });
  const storage = await openArchive(config, onFault);
  if (E.isLeft(opened)) return { ...storage, source: opened.left.message, tree: opened.left.message };
  const { url, close } = opened.right;
  const pool = makeCommandPool(url, 'log-verify', 4);
  const ledger = ledgerOf(registry);
  return {
    archive: storage.archive,
    source: makeLedgerSource(pool, ledger),
    tree: makeSealedTree(pool, ledger.name),
    close: async () => {
      await storage.close();
      await pool.end();
      await close();
    },
  };
};
