import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../../src/infrastructure/error-code.js';

/** A request that any client may send at any time. */
export type NormalRequest = {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request that is the `count`th of its kind. */
  readonly body?: (count: number) => string;
};

/** How one request went; times in ms, `began` by the clock of `performance.now()`. */
export type Answered = {
  readonly name: string;
  readonly began: number;
  readonly took: number;
  /** Its status, or what happened in its place. */
  readonly outcome: number | string;
};

type NormalClient = {
  /** Resolves with all requests when the last of them has been answered. */
  readonly stop: () => Promise<ReadonlyArray<Answered>>;
};

const INTERVAL = 100; // ms
/** When it takes a request for lost, ms: a machine that has no time for the service is no reason to. */
const ANSWER_LIMIT = 120_000;
/** One in so many requests comes on a connection of its own. */
const NEW_CONNECTION = 10;

/**
 * Sends a request. A server may close a kept connection at the moment at which it is used again; then, as clients do, one
 * that may be repeated is sent once more (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
 */
const outcomeOf = (
  address: string,
  each: NormalRequest,
  count: number,
  agent: Agent | false,
): Promise<number | string> =>
  new Promise((resolve) => {
    const { method, path, headers, body } = each;
    const sending = request(address + path, { method, headers, agent, signal: AbortSignal.timeout(ANSWER_LIMIT) });
    sending.on('response', (response) => {
      response
        .on('error', ({ message }) => resolve(message))
        .on('end', () => resolve(response.statusCode ?? 0))
        .resume();
    });
    sending.on('error', (error) => {
      if (sending.reusedSocket && errorCode(error) === 'ECONNRESET' && method !== 'POST')
        resolve(outcomeOf(address, each, count, false));
      else resolve(error.name === 'AbortError' ? 'no answer' : error.message);
    });
    sending.end(body?.(count));
  });

/**
 * Sends each of the requests every 100 ms, or when its last one has been answered where that takes longer. A kind has a
 * connection of its own, and every tenth request a new one.
 */
export const startNormalClient = (address: string, requests: ReadonlyArray<NormalRequest>): NormalClient => {
  const answered: Array<Answered> = [];
  let isOver = false;

  const work = async (each: NormalRequest, kind: number): Promise<void> => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    // not all of them at the same moment
    await delay((kind * INTERVAL) / requests.length);
    for (let count = 1; !isOver; count += 1) {
      const began = performance.now();
      const outcome = await outcomeOf(address, each, count, count % NEW_CONNECTION === 0 ? false : kept);
      const took = performance.now() - began;
      answered.push({ name: each.name, began, took, outcome });
      await delay(Math.max(0, INTERVAL - took));
    }
    kept.destroy();
  };
  const working = Promise.all(requests.map(work));
  return {
    stop: async () => {
      isOver = true;
      await working;
      return answered;
    },
  };
};
