/** What the promise resolves to, or `undefined` after `ms` or when `signal` aborts. */
export const withTimeout = <A>(ms: number, promise: Promise<A>, signal?: AbortSignal): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = (): void => {
      end();
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, ms);
    // by hand, because AbortSignal.any holds on to what it made for as long as a long-lived signal lives
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted === true) giveUp();
    promise.finally(end).then(resolve, reject);
  });
