import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { tokenFor } from '../../support/service-process.js';
import { drawCreation, drawRequest, isFull, type SoakRequest, type World } from './operations.js';
import { abortPoints, abortRequest, performRequest } from './perform.js';
import { makeRandom, type Random } from './random.js';

/** What the clients have seen so far. */
type Seen = {
  requests: number;
  readonly aborted: Record<string, number>;
  readonly kinds: Record<string, number>;
  /** What should not have been, and how often. */
  readonly errors: Record<string, number>;
};

export type Load = { readonly seen: Seen; readonly world: World; readonly stop: () => Promise<void> };

type LoadOptions = { readonly address: string; readonly clients: number; readonly seed: number };

/** A client waits so long between two requests, on average, ms: thirty of them send some hundred a second. */
const MEAN_PAUSE = 280;
const ABORTED = 5; // one in so many
const LONGEST_STAY = 30; // ms at the point of an abort
/** A token lasts an hour. */
const TOKEN_TIME = 600_000; // ms

const add = (counts: Record<string, number>, what: string): void => {
  counts[what] = (counts[what] ?? 0) + 1;
};

const makeTokens = (): (() => Promise<string>) => {
  let token: Promise<string> | undefined;
  let madeAt = 0;
  return () => {
    if (token === undefined || performance.now() - madeAt > TOKEN_TIME) {
      token = tokenFor('admin', 'alice');
      madeAt = performance.now();
    }
    return token;
  };
};

/** Starts clients who send a mixture of requests and abort a fifth of them. The seed says who sends what. */
export const startLoad = ({ address, clients, seed }: LoadOptions): Load => {
  const seen: Seen = { requests: 0, aborted: {}, kinds: {}, errors: {} };
  const world: World = { businesses: [], documents: [], created: 0 };
  const url = new URL(address);
  const token = makeTokens();
  let isOver = false;

  const perform = async (kind: string, request: SoakRequest, agent: Agent): Promise<void> => {
    const outcome = await performRequest(url, request, await token(), agent);
    seen.requests += 1;
    add(seen.kinds, kind);
    if (typeof outcome === 'string' || !request.expected.includes(outcome)) add(seen.errors, `${kind}: ${outcome}`);
  };
  const abort = async (request: SoakRequest, random: Random): Promise<void> => {
    const point = random.pick(abortPoints);
    await abortRequest(url, request, await token(), {
      point,
      after: random.integer(LONGEST_STAY),
      resets: random.isOneIn(2),
    });
    seen.requests += 1;
    add(seen.aborted, point);
  };
  const work = async (client: number): Promise<void> => {
    const random = makeRandom(seed + client);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const { kind, request } = drawRequest(world, random);
      if (random.isOneIn(ABORTED)) await abort(request, random);
      else await perform(kind, request, agent);
      await delay(random.integer(2 * MEAN_PAUSE));
    }
    agent.destroy();
  };

  /** Before the clients come: as many records as there are to be. */
  const fill = async (): Promise<void> => {
    const random = makeRandom(seed);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver && !isFull(world)) await perform('creation', drawCreation(world, random), agent);
    agent.destroy();
  };
  const working = fill().then(() => Promise.all(Array.from({ length: clients }, (_, client) => work(client))));
  return {
    seen,
    world,
    stop: async () => {
      isOver = true;
      await working;
    },
  };
};
