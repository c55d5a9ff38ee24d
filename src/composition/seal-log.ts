import { readonlyArray as RA } from 'fp-ts';
import type { Projections } from '../../projections/engine/run/start-projections.js';
import { ledgerOf } from '../entities/registry.js';
import { orThrow } from '../event-sourcing/attempt.js';
import { cosignLog } from './cosign-log.js';
import { makeCheckpointArchive } from '../infrastructure/checkpoints/checkpoint-archive.js';
import { logSigning } from '../infrastructure/logging/log-signing.js';
import { countSigning } from '../infrastructure/metrics/seal-metrics.js';
import { placesOfCheckpoints, type Storage } from '../infrastructure/open-storage.js';
import { notingArchive } from '../sealing/noting-archive.js';
import { keepSigning } from '../sealing/keep-signing.js';
import { sealInForce } from '../sealing/seal-history.js';
import type { ServiceStores } from './adapters.js';
import { keepSealingRecorded } from './record-sealing.js';
import { stampLog } from './stamp-log.js';
import type { ServiceContext } from './service-context.js';

/** One that signs, one that migrates or looks, and one that is asked for what witnesses want to know. */
const CONNECTIONS = 3;

/** By the text of a warning of `/readyz`: whether it is given. */
type Warnings = Readonly<Record<string, () => boolean>>;

/**
 * Signs checkpoints of the tree in a process that projects and has a key; without a key it says so in the log. Gives the
 * warnings of the seal. Throws an error that names what is wrong with the key.
 */
export const sealLog = async (
  { config, log, runtime, adapters, started, metrics, registry }: ServiceContext,
  {
    store,
    readModels,
    storage,
  }: Pick<ServiceStores, 'store' | 'readModels'> & { readonly storage: Pick<Storage, 'checkpoints'> },
  { byName }: Projections,
): Promise<Warnings> => {
  if (!config.parts.projector) return {};
  const signers = orThrow(await adapters.keys.checkpointSigners(runtime.random, config));
  const { name } = ledgerOf(registry);
  const { categories, progress, status } = byName(name);
  const isKeeper = (): boolean => {
    const { projector } = status();
    return projector._tag === 'Projecting' && projector.role === 'live';
  };
  const seal = readModels.seal(name, placesOfCheckpoints(config), { name: 'seal', connections: CONNECTIONS });
  started.add(seal.storage.close);
  keepSealingRecorded({ config, log, runtime, adapters, started, registry }, store, seal, signers.length > 0, isKeeper);
  if (!RA.isNonEmpty(signers)) {
    if (config.isSealed)
      log.warn(
        'no checkpoints are signed: nobody can show that events were not removed. Set CHECKPOINT_KEY_FILE, or SEALING=false.',
      );
    return {};
  }
  const [count, logEvent] = [countSigning(runtime.clock, metrics), logSigning(log)];
  let isRemoved = false;
  const archive = makeCheckpointArchive(storage.checkpoints, {
    onUnfit: (unfit) => log.error(unfit, 'what stands among the checkpoints in the file storage is none'),
  });
  const cosigning = await cosignLog(
    { config, log, runtime, adapters, started },
    signers.map(({ verifier }) => verifier),
    seal,
    count,
  );
  const stamping = stampLog({ config, log, runtime, adapters, started }, storage.checkpoints);
  const signing = keepSigning({
    clock: runtime.clock,
    lockTree: seal.lockTree,
    archive: notingArchive(archive, {
      notes: seal.notes,
      onRemoved: (checkpoint) => {
        isRemoved = true;
        log.error(
          checkpoint,
          'a checkpoint that was put into the file storage is not there any more: see ops log verify',
        );
      },
    }),
    findSeal: async () => orThrow(await sealInForce(signers, store)),
    isKeeper,
    reached: () => status().reached,
    isComplete: async () => {
      const head = orThrow(await store.head(categories));
      return head === undefined || progress.waitFor(head);
    },
    onEvent: (event) => {
      count(event);
      logEvent(event);
      if (event._tag === 'Signed') cosigning?.offer(event.checkpoint);
      if (event._tag === 'Archived') stamping?.offer(event.checkpoint);
    },
    ...(cosigning === undefined ? {} : { toArchive: cosigning.toArchive }),
  });
  started.add(signing.stop);
  return {
    'no checkpoint is signed: the log does not extend what was signed before': () => signing.fault() !== undefined,
    'checkpoints were removed from the file storage: see ops log verify': () => isRemoved,
    ...(cosigning === undefined
      ? {}
      : { 'checkpoints are without the cosignatures of enough witnesses': () => cosigning.isLate() }),
  };
};
