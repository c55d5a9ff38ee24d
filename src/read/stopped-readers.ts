import type { Readable } from 'node:stream';

/** One who is being answered. */
export type Reader = {
  /** Told when something was handed to the reader, and when it asks for more. */
  readonly heldUp: (isHeldUp: boolean) => void;
  /** The body that may be cut off for others. */
  readonly lendTo: (body: Readable) => void;
  /** False when it had left before. */
  readonly leave: () => boolean;
};

type Readers = {
  readonly count: () => number;
  readonly enter: () => Reader;
  /** Cuts off the one that stopped first, where one has taken nothing for `courtesyMs`. */
  readonly cutOffStopped: () => void;
};

type Held = { since: number | undefined; body: Readable | undefined };

/** Those who hold something that others wait for: a few that read nothing must not shut out everybody. */
export const makeReaders = (courtesyMs: number, what = ''): Readers => {
  const readers = new Set<Held>();
  return {
    count: () => readers.size,
    enter: () => {
      const held: Held = { since: undefined, body: undefined };
      readers.add(held);
      return {
        heldUp: (isHeldUp) => {
          held.since = isHeldUp ? performance.now() : undefined;
        },
        lendTo: (body) => {
          held.body = body;
        },
        leave: () => readers.delete(held),
      };
    },
    cutOffStopped: () => {
      const stopped = [...readers]
        .filter(({ since = Infinity, body }) => body?.destroyed === false && performance.now() - since >= courtesyMs)
        .sort((one, other) => (one.since ?? 0) - (other.since ?? 0))[0];
      stopped?.body?.destroy(new Error(`${what}gave way to another, as its reader took nothing`));
    },
  };
};
