import type { Clock } from './clock.js';

/** What `work` gives. Its signal aborts when that takes longer than `ms`. */
export const withTimeLimit = async <A>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  const limit = new AbortController();
  const abort = (): void => limit.abort(new DOMException(`It took longer than ${ms} ms`, 'TimeoutError'));
  const cancel = clock.after(ms, abort, { isBackground: true });
  try {
    return await work(limit.signal);
  } finally {
    cancel();
  }
};
