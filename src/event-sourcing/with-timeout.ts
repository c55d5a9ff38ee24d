import type { Clock } from './clock.js';

/** What the promise resolves to, or `undefined` after `ms` or when `signal` aborts. */
export const withTimeout = <A>(
  clock: Pick<Clock, 'after' | 'soon'>,
  ms: number,
  promise: Promise<A>,
  signal?: AbortSignal,
): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = (): void => {
      end();
      resolve(undefined);
    };
    // where this process itself stood still, what came meanwhile is read between the timer and the end of the wait
    const cancel = clock.after(ms, () => clock.soon(giveUp));
    // by hand, because AbortSignal.any holds on to what it made for as long as a long-lived signal lives
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted === true) giveUp();
    promise.finally(end).then(resolve, reject);
  });
