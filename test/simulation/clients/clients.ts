import type { Random } from '../../../src/event-sourcing/random.js';
import type { Cluster } from '../cluster.js';
import type { Notebook } from '../notebook.js';
import type { World } from '../world.js';
import { audit } from './auditing.js';
import { isLucky } from '../chance.js';
import type { Client } from './client.js';
import { download } from './downloading.js';
import { followUntil } from './following.js';
import { list } from './listing.js';
import { changeOwner, create, rename, renameAsRead, renameMany, renameOnAndOn } from './on-businesses.js';
import { abandonUpload, upload } from './on-documents.js';
import { readById, readHistory } from './reading.js';
import { makeTold, type Told } from './told.js';
import { remove, restore, revert } from './undoing.js';

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
  [10, renameAsRead],
  [8, renameOnAndOn],
  [6, renameMany],
  [14, changeOwner],
  [5, remove],
  [6, restore],
  [14, revert],
  [14, upload],
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

/** How many changes a client makes, and for how long after the others the last ones are made, ms. */
const [CHANGES_EACH, CALM_MS] = [10, 15_000];
/** How many changes a client makes when nothing goes wrong any more, and within how long, ms. */
const [CALM_CHANGES, CALMLY_MS] = [2, 1_000];

/**
 * Clients that create, change and read records, each with a chance of its own, and two that follow feeds. They note what they are
 * told, and hold the service to it in the end.
 */
export const startClients = ({ world, cluster, notes }: Place, many: number, lifeMs: number): Clients => {
  const calmFrom = world.now() + lifeMs + CALM_MS;
  let isErased = false;
  const told = makeTold(() => isErased && world.now() > calmFrom);
  const erased = cluster.untilErased.then(() => (isErased = true));
  const calm = world.sleep(lifeMs + CALM_MS + 1).then(() => erased);

  const clientOf = (who: string): Client => {
    let marks = 0;
    const { random } = world.begin();
    const nextMark = (): string => `${who} ${(marks += 1)}`;
    return { who, world, cluster, notes, random, told, keys: [], meanwhile: [], nextMark };
  };

  /** So many changes, and what is read beside and after them. */
  const act = async (client: Client, changes: number, withinMs: number): Promise<void> => {
    for (let change = 0; change < changes; change += 1) {
      await world.sleep(client.random.fraction() * ((2 * withinMs) / changes));
      const reading = isLucky(client, 0.2) ? drawn(client, READS)(client) : undefined;
      await drawn(client, CHANGES)(client);
      await reading;
      if (isLucky(client, 0.5)) await drawn(client, READS)(client);
    }
  };

  const live = async (client: Client): Promise<void> => {
    await act(client, CHANGES_EACH, lifeMs);
    await calm;
    await act(client, CALM_CHANGES, CALMLY_MS);
    await Promise.all(client.meanwhile);
  };

  // first, so that they draw the same whatever clients there are
  const followers = [clientOf('follower 0'), clientOf('follower 1')];
  const clients = Array.from({ length: many }, (_, number) => clientOf(`client ${number}`));
  const others = Promise.all([calm, ...clients.map(live)]).then(() => undefined);
  const following = followers.map((follower, number) => followUntil(follower, number === 0, others));
  const done = async (): Promise<void> => {
    const ends = await Promise.all(following);
    await Promise.all(ends.map((end) => end()));
  };
  return { done: done(), told };
};
