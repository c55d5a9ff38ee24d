import { setTimeout as delay } from 'node:timers/promises';
import { ServerBusy } from './transport.js';

const PAUSES_MS = [100, 400];

const LOST_CONNECTION = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

const NOT_NOW = /^(SlowDown|RequestTimeout|InternalError|ServiceUnavailable)$/;

/** The `code` of an error: Node's for a connection, S3's for an answer. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isPassing = (error: unknown): boolean =>
  error instanceof ServerBusy || LOST_CONNECTION.test(codeOf(error)) || NOT_NOW.test(codeOf(error));

/** The client library throws an error that came with status 200 as the object it had in the answer. */
const asError = (thrown: unknown): unknown => {
  if (thrown instanceof Error || typeof thrown !== 'object' || thrown === null) return thrown;
  const { Code: code, Message: message }: { Code?: unknown; Message?: unknown } = thrown;
  return Object.assign(new Error(typeof message === 'string' ? message : 'the server answered with an error'), {
    code,
  });
};

const attempt = async <A>(request: () => Promise<A>): Promise<A> => {
  try {
    return await request();
  } catch (thrown) {
    throw asError(thrown);
  }
};

/**
 * Sends a request again, at most twice, when it failed in a way that may pass (the server closed a kept connection, or
 * is busy). Silence is not asked again: all patience is used up. The request must be one that may be repeated.
 */
export const repeating = async <A>(request: () => Promise<A>): Promise<A> => {
  for (const pause of PAUSES_MS) {
    try {
      return await attempt(request);
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    // up to twice the pause, so that those refused together do not come back together
    await delay(pause * (1 + Math.random()));
  }
  return attempt(request);
};
