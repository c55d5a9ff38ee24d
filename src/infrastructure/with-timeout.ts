import { pause } from '../event-sourcing/pause.js';

/** What the promise resolves to, or `undefined` after `ms` or when `signal` aborts. */
export const withTimeout = async <A>(ms: number, promise: Promise<A>, signal?: AbortSignal): Promise<A | undefined> => {
  const over = new AbortController();
  const end = (): void => over.abort();
  // by hand, because AbortSignal.any holds on to what it made for as long as a long-lived signal lives
  signal?.addEventListener('abort', end);
  if (signal?.aborted === true) end();
  try {
    return await Promise.race([promise, pause(ms, over.signal).then(() => undefined)]);
  } finally {
    end();
    signal?.removeEventListener('abort', end);
  }
};
