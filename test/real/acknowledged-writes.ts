import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** When a request to a process that is frozen, or gone, is given up and sent to another one, ms. */
const GIVEN_UP_MS = 4_000;
const AGAIN_MS = 50;

type Named = { readonly _id: string; readonly name: string };

type Writes = {
  /** By the id of a business: the name that was acknowledged last. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Answered with `X-Projected: false`. */
  readonly unprojected: () => number;
  /** Ends when each client has an answer to its last request. */
  readonly stop: () => Promise<void>;
  /** Ends at once, without those answers. */
  readonly abandon: () => void;
};

/**
 * Clients that write without a break, each one request after the other, to any of the processes that `addresses` gives. One
 * without an answer is sent again under the same `Idempotency-Key`, to another process, until there is one.
 */
export const writeAllTheTime = (clients: number, addresses: () => ReadonlyArray<string>, token: string): Writes => {
  const acknowledged = new Map<string, string>();
  let unprojected = 0;
  let isOver = false;
  let isAbandoned = false;
  let turn = 0;

  const write = async (method: string, place: string, name: string): Promise<Named> => {
    const key = randomUUID();
    while (!isAbandoned) {
      const all = addresses();
      const address = all[turn++ % all.length];
      try {
        const response = await fetch(`${address}/api/v1${place}`, {
          method,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify({ name }),
          signal: AbortSignal.timeout(GIVEN_UP_MS),
        });
        const body: unknown = await response.json();
        if (response.headers.get('x-projected') === 'false') unprojected += 1;
        // reason: a 200 is a business
        if (response.status === 200) return body as Named;
        if (response.status !== 503) throw new TypeError(`${method} ${place}: ${response.status}`);
      } catch (error) {
        if (error instanceof TypeError && error.cause === undefined) throw error;
      }
      await delay(AGAIN_MS);
    }
    throw new Error('abandoned');
  };

  const work = async (client: number): Promise<void> => {
    for (let round = 0; !isOver; round += 1) {
      const name = `client ${client} round ${round}`;
      const { _id } = await write('POST', '/business', name);
      acknowledged.set(_id, name);
      await write('PUT', `/business/${_id}`, `${name} changed`);
      acknowledged.set(_id, `${name} changed`);
    }
  };
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  working.catch(() => undefined); // `stop` tells of it

  return {
    acknowledged,
    unprojected: () => unprojected,
    stop: async () => {
      isOver = true;
      await working;
    },
    abandon: () => {
      isOver = true;
      isAbandoned = true;
    },
  };
};
