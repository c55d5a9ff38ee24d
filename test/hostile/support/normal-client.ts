import { randomUUID } from 'node:crypto';
import { Agent, request, type RequestOptions } from 'node:http';
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

export type NormalClient = {
  /** Resolves with all requests when the last of them has been answered. */
  readonly stop: () => Promise<ReadonlyArray<Answered>>;
};

const INTERVAL = 100; // ms
/** When it takes a request for lost, ms: a machine that has no time for the service is no reason to. */
const ANSWER_LIMIT = 120_000;
/** One in so many requests comes on a connection of its own. */
const NEW_CONNECTION = 10;

/** What is not idempotent by itself is given a key, and may be repeated, too (RFC 9110 §9.2.2). */
const headersOf = ({ method, headers }: NormalRequest): NormalRequest['headers'] =>
  method === 'POST' ? { ...headers, 'Idempotency-Key': randomUUID() } : headers;

/**
 * Sends a request. A server may close a kept connection at the moment at which it is used again; then, as clients do, it
 * is sent once more (RFC 9112 §9.3.1).
 */
const outcomeOf = (
  url: string,
  options: Pick<RequestOptions, 'method' | 'headers'>,
  body: string | undefined,
  agent: Agent | false,
): Promise<number | string> =>
  new Promise((resolve) => {
    const sending = request(url, { ...options, agent, signal: AbortSignal.timeout(ANSWER_LIMIT) });
    sending.on('response', (response) => {
      response
        .on('error', ({ message }) => resolve(message))
        .on('end', () => resolve(response.statusCode ?? 0))
        .resume();
    });
    sending.on('error', (error) => {
      if (sending.reusedSocket && errorCode(error) === 'ECONNRESET') resolve(outcomeOf(url, options, body, false));
      else resolve(error.name === 'AbortError' ? 'no answer' : error.message);
    });
    sending.end(body);
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
      const agent = count % NEW_CONNECTION === 0 ? false : kept;
      const options = { method: each.method, headers: headersOf(each) };
      const outcome = await outcomeOf(address + each.path, options, each.body?.(count), agent);
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
