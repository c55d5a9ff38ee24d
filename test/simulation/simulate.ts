import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeMemoryFiles } from '../support/memory-adapters/memory-files.js';
import { makeMemorySeal } from '../support/memory-seal.js';
import { makeMemoryStorage } from '../support/memory-storage/memory-storage.js';
import { checkHistories, checkRows } from './at-rest.js';
import { startClients } from './clients.js';
import { startCluster } from './cluster.js';
import { makeNotebook, type Outcome } from './notebook.js';
import type { Shared } from './service.js';
import { makeWorld, within } from './world.js';

/** How long faults come, and how long the cluster is left alone then, ms. */
const [LIFE_MS, REST_MS] = [60_000, 30_000];

/** What a life has less of than others, so that one that broke a promise is read more easily. */
type Life = {
  readonly clients?: number;
  /** How many faults there are at most; then none comes any more. */
  readonly faults?: number;
};
const [CLIENTS, FAULTS] = [6, 1_000];

/**
 * The life of a cluster in one process, in virtual time: whole services as `npm start` composes them, which share a log, read
 * models and files in memory; faults; and clients that hold them to what they answer. The same seed gives the same life, to the
 * letter.
 */
export const simulate = async (
  seed: number,
  { clients: many = CLIENTS, faults = FAULTS }: Life = {},
): Promise<Outcome> => {
  const world = makeWorld(seed);
  const { outcome, ...notes } = makeNotebook(world.now);
  // the log and the database have a clock of their own
  const { clock, random } = world.begin();
  const storage = makeMemoryStorage({ clock });
  const shared: Shared = {
    store: makeInMemoryEventStore('the log'),
    storage,
    seal: makeMemorySeal(clock, storage),
    files: makeMemoryFiles(),
  };
  const cluster = await within(world, startCluster(world, shared, notes));
  cluster.beginFaults(faults);
  const clients = startClients({ world, cluster, notes, random }, many, LIFE_MS);
  await world.run(world.now() + LIFE_MS);
  cluster.endFaults();
  await within(world, clients.done);
  await world.run(world.now() + REST_MS);
  await within(world, checkHistories(cluster, clients.acknowledged(), notes));
  await checkRows(shared, notes);
  await within(world, cluster.stop());
  return outcome();
};
