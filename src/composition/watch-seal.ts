import { either as E } from 'fp-ts';
import type { Projections } from '../../projections/engine/run/start-projections.js';
import { ledgerOf } from '../entities/registry.js';
import { orThrow } from '../event-sourcing/attempt.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { watchUnsignedEvents } from '../infrastructure/metrics/seal-metrics.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import type { ReadModelUnavailable } from '../read/queries.js';
import type { SealedTree, SignedCheckpoint } from '../read/sealed-tree.js';
import type { Verifier } from '../seal/note-key.js';
import { openKnown } from '../sealing/kept-checkpoint.js';
import { findSealHistory, keysOf } from '../sealing/seal-history.js';
import { UNSIGNED_MS, watchUnsigned } from '../sealing/watch-unsigned.js';
import type { ServiceContext } from './service-context.js';

type Warnings = Readonly<Record<string, () => boolean>>;

type Found = E.Either<ReadModelUnavailable, SignedCheckpoint | undefined>;

const foundOrThrow = (found: Found): SignedCheckpoint | undefined => {
  if (E.isLeft(found)) throw found.left.cause;
  return found.right;
};

/**
 * How many events the newest checkpoint is over. A process that has a key takes none that this one, or one before or behind it,
 * has not signed, and none of another origin than the one in force; one without a key has to believe the database, and undefined
 * says that there is none.
 */
const makeFindSigned =
  (
    own: Verifier | undefined,
    store: Pick<EventStore, 'readStream'>,
    tree: Pick<SealedTree, 'newestCheckpoint' | 'newestOf'>,
  ) =>
  async (): Promise<number | undefined> => {
    if (own === undefined) return foundOrThrow(await tree.newestCheckpoint())?.size;
    const history = await findSealHistory(store, own);
    const { origin } = history;
    const newest = foundOrThrow(await tree.newestOf(origin));
    if (newest === undefined) return 0;
    const opened = openKnown(Buffer.from(newest.note), keysOf(history)(origin));
    return E.isRight(opened) && opened.right.size === newest.size ? newest.size : 0;
  };

/**
 * Watches in every process, not only in the one that signs, whether all events come under a checkpoint. Gives the warning of
 * `/readyz`.
 */
export const watchSeal = async (
  {
    config,
    runtime,
    adapters,
    started,
    metrics,
    registry,
  }: Pick<ServiceContext, 'config' | 'runtime' | 'adapters' | 'started' | 'metrics' | 'registry'>,
  store: EventStore,
  queries: Pick<ReadModelQueries, 'sealedTree' | 'ledgerExtent'>,
  { byName }: Pick<Projections, 'byName'>,
): Promise<Warnings> => {
  if (!config.isSealed) return {};
  const [first] = orThrow(await adapters.keys.checkpointSigners(runtime.random, config));
  const ledger = ledgerOf(registry);
  const { categories } = byName(ledger.name);
  const watching = watchUnsigned({
    clock: runtime.clock,
    findHead: async () => orThrow(await store.head(categories)),
    findExtent: queries.ledgerExtent(ledger),
    findSigned: makeFindSigned(first?.verifier, store, queries.sealedTree(ledger)),
  });
  started.add(watching.stop);
  watchUnsignedEvents(metrics, watching);
  return {
    'events are without a checkpoint for more than 30 s: none is signed': () => watching.unsignedMs() > UNSIGNED_MS,
  };
};
