import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeMemoryFiles } from '../support/memory-adapters/memory-files.js';
import { checkAtRest } from './at-rest.js';
import { checkKeptCheckpoint } from './at-rest/kept-checkpoint.js';
import { watchSwitches } from './checks/switches.js';
import { startClients } from './clients/clients.js';
import { startCluster } from './cluster.js';
import { makeErasures } from './erasures.js';
import { makeNotebook, type Outcome } from './notebook.js';
import type { Shared } from './service.js';
import { makeMemoryStore } from './stores/memory-store.js';
import type { MakeStore } from './stores/stores.js';
import { makeWorld, within } from './world.js';

/** How long faults come, how long the cluster is left alone then, and what each of the rest takes at most, ms. */
const [LIFE_MS, REST_MS, LONGEST_MS] = [60_000, 15_000, 600_000];

/** After so many lives the database is lost, and services begin with an empty one while the log answers late. */
const MADE_ANEW = 0.25;

/** In one of so many lives, by the seed, the data is encrypted, and operators erase some of it. */
const ERASABLE = 3;

/** So many sizes a page of the log has, by the seed: what is read of it comes in many pages, or in one. */
const PAGES = 7;

/** What a life has less of than others, so that one that broke a promise is read more easily. */
export type Life = {
  readonly clients?: number;
  /** How many faults there are at most; then none comes any more. */
  readonly faults?: number;
};
export const WHOLE_LIFE = { clients: 6, faults: 1_000 };

/**
 * The life of a cluster in one process, in virtual time: whole services as `npm start` composes them, which share a log and files
 * in memory, and read models; faults; and clients that hold them to what they answer. The same seed gives the same life, to the
 * letter.
 */
export const simulate = async (
  seed: number,
  { clients: many = WHOLE_LIFE.clients, faults = WHOLE_LIFE.faults }: Life = {},
  makeStore: MakeStore = makeMemoryStore,
): Promise<Outcome> => {
  const world = makeWorld(seed);
  const { outcome, ...notes } = makeNotebook(world.now);
  // the log and the database have a clock of their own
  const { clock, random } = world.begin();
  const { storage, ...readModels } = await makeStore({ world, clock, notes });
  const shared: Shared = {
    store: makeInMemoryEventStore('the log', { page: 2 + (seed % PAGES) ** 2 }),
    files: makeMemoryFiles(clock),
    storage: watchSwitches(storage, world.now, notes),
    erasures: seed % ERASABLE === 0 ? makeErasures(world.now, random) : undefined,
    ...readModels,
  };
  /** Runs until the work is done, which does not take for ever. */
  const ended = <A>(what: string, work: Promise<A>): Promise<A> => {
    const tooLong = world.sleep(LONGEST_MS).then(() => Promise.reject(new Error(`${what} does not end`)));
    return within(world, Promise.race([work, tooLong]));
  };
  try {
    const cluster = await ended('the start', startCluster(world, shared, notes));
    cluster.beginFaults(faults);
    const clients = startClients({ world, cluster, notes, random }, many, LIFE_MS);
    await world.run(world.now() + LIFE_MS);
    cluster.endFaults();
    await ended('what clients do', clients.done);
    await ended('a rebuild', cluster.rebuild());
    await world.run(world.now() + REST_MS);
    await ended('the check at rest', checkAtRest({ world, cluster, shared, notes, random, told: clients.told }));
    await ended('the stop', cluster.stop());
    await ended('the last checkpoint', checkKeptCheckpoint(shared, cluster.checkpointKey, notes));
    if (random.fraction() >= MADE_ANEW) return outcome();
    notes.count('the database is made anew');
    notes.say('the database is made anew');
    const anew = { ...shared, ...(await makeStore({ world, clock, notes })) };
    const options = { checkpointKey: cluster.checkpointKey, slowMs: REST_MS };
    const others = await ended('the start', startCluster(world, anew, notes, options));
    await world.run(world.now() + 2 * REST_MS);
    const rest = { world, cluster: others, shared: anew, notes, random, told: clients.told };
    await ended('the check at rest', checkAtRest(rest));
    await ended('the stop', others.stop());
  } catch (error) {
    notes.breaks(error instanceof Error ? error.message : String(error));
  }
  return outcome();
};
