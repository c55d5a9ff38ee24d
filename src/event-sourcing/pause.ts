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

/** Runs `task` repeatedly, `ms` after it last ended, until the signal aborts. `task` must not reject. */
export const repeat = async (ms: number, signal: AbortSignal, task: () => Promise<unknown>): Promise<void> => {
  while (!signal.aborted) {
    await task();
    await pause(ms, signal);
  }
};
