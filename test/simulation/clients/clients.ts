import type { Random } from '../../../src/event-sourcing/random.js';
import type { Cluster } from '../cluster.js';
import type { Notebook } from '../notebook.js';
import type { World } from '../world.js';
import { audit } from './auditing.js';
import { type Client, isLucky } from './client.js';
import { download } from './downloading.js';
import { followUntil } from './following.js';
import { list } from './listing.js';
import { changeOwner, create, remove, rename, renameAsRead, renameMany } from './on-businesses.js';
import { abandonUpload, upload } from './on-documents.js';
import { readById, readHistory } from './reading.js';
import { makeTold, type Told } from './told.js';

type Clients = {
  /** Resolves when each client has done what it does. */
  readonly done: Promise<void>;
  readonly told: Told;
};

type Place = { readonly world: World; readonly cluster: Cluster; readonly notes: Notebook; readonly random: Random };

/** What a client does, and how often in proportion. */
type Deeds = ReadonlyArray<readonly [often: number, deed: (client: Client) => Promise<void>]>;

const CHANGES: Deeds = [
  [20, create],
  [30, rename],
  [14, renameAsRead],
  [6, renameMany],
  [14, changeOwner],
  [3, remove],
  [10, upload],
  [3, abandonUpload],
];

const READS: Deeds = [
  [40, readById],
  [26, list],
  [12, readHistory],
  [14, audit],
  [8, download],
];

const drawn = (client: Client, deeds: Deeds): ((client: Client) => Promise<void>) => {
  let left = client.random.fraction() * deeds.reduce((sum, [often]) => sum + often, 0);
  for (const [often, deed] of deeds) if ((left -= often) < 0) return deed;
  return readById;
};

/** How many changes a client makes, and for how long after the others a feed is followed, ms. */
const [CHANGES_EACH, CALM_MS] = [11, 12_000];

/**
 * Clients that create, change and read records, each with a chance of its own, and one that follows a feed. They note what they are
 * told, and hold the service to it in the end.
 */
export const startClients = ({ world, cluster, notes }: Place, many: number, lifeMs: number): Clients => {
  const told = makeTold();
  const calm = world.sleep(lifeMs + CALM_MS);

  const clientOf = (who: string): Client => {
    let marks = 0;
    const { random } = world.begin();
    return { who, world, cluster, notes, random, told, keys: new Map(), nextMark: () => `${who} ${(marks += 1)}` };
  };

  const live = async (client: Client): Promise<void> => {
    for (let change = 0; change < CHANGES_EACH; change += 1) {
      await world.sleep(client.random.fraction() * ((2 * lifeMs) / CHANGES_EACH));
      // some read while they change
      const reading = isLucky(client, 0.3) ? drawn(client, READS)(client) : undefined;
      await drawn(client, CHANGES)(client);
      await reading;
      if (isLucky(client, 0.9)) await drawn(client, READS)(client);
    }
  };

  // first, so that it draws the same whatever clients there are
  const follower = clientOf('follower');
  const clients = Array.from({ length: many }, (_, number) => clientOf(`client ${number}`));
  const others = Promise.all(clients.map(live));
  const followed = followUntil(
    follower,
    Promise.all([others, calm]).then(() => undefined),
  );
  return { done: Promise.all([others, followed]).then(() => undefined), told };
};
