import { makeRetry } from '../../event-sourcing/retry.js';
import { errorCode } from '../error-code.js';
import { ServerBusy } from './transport.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

/** Up to 3 attempts, with a pause of at most 300 ms and then 600 ms between them. */
const RETRY = { first: 300, longest: 600, attempts: 3 };

const CONNECTION_LOST = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

const TRY_LATER = /^(SlowDown|RequestTimeout|InternalError|ServiceUnavailable)$/;

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ServerBusy || CONNECTION_LOST.test(errorCode(error)) || TRY_LATER.test(errorCode(error));

/** The client library throws the parsed body, no Error, when an S3 error comes with status 200. */
const asError = (thrown: unknown): unknown => {
  if (thrown instanceof Error || typeof thrown !== 'object' || thrown === null) return thrown;
  const { Code: code, Message: message }: { Code?: unknown; Message?: unknown } = thrown;
  return Object.assign(new Error(typeof message === 'string' ? message : 'the server answered with an error'), {
    code,
  });
};

/**
 * Sends an idempotent request, at most three times. It is repeated when the connection was lost (a server closes idle
 * connections at any time) or the server was busy; not after a timeout (`ServerSilent`), which has used up the time
 * there was. Throws the last error.
 */
export const retryRequest = async <A>(runtime: Runtime, send: () => Promise<A>): Promise<A> => {
  const retry = makeRetry({ runtime, ...RETRY });
  for (;;) {
    try {
      return await send();
    } catch (thrown) {
      const error = asError(thrown);
      if (!isTransient(error) || !(await retry.again())) throw error;
    }
  }
};
