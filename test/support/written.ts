import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';

/** What a process has written. */
export type Written = {
  /** So far. */
  readonly text: () => string;
  /** All of it, once it satisfies; rejects with it when that takes too long. */
  readonly until: (satisfies: (text: string) => boolean) => Promise<string>;
};

/** No promise of any program, only when to give up. */
const LONG_ENOUGH_MS = 60_000;

/** Collects what these streams give, as it comes. */
export const writtenTo = (...streams: ReadonlyArray<Readable>): Written => {
  const emitter = new EventEmitter();
  let text = '';
  for (const stream of streams)
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      emitter.emit('more');
    });
  return {
    text: () => text,
    until: async (satisfies) => {
      const signal = AbortSignal.timeout(LONG_ENOUGH_MS);
      while (!satisfies(text))
        await once(emitter, 'more', { signal }).catch(() => {
          throw new Error(`what was waited for is not in what was written:\n${text}`);
        });
      return text;
    },
  };
};
