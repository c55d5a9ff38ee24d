/** Resolves to true after `ms`, to false as soon as `signal` aborts; never rejects. */
export const pause = (ms: number, signal?: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve(false);
      return;
    }
    const cut = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cut);
      resolve(true);
    }, ms);
    signal?.addEventListener('abort', cut, { once: true });
  });
