import type { LogCheck } from '../event-sourcing/whole-log/log-check.js';
import type { OnLogFault } from '../event-sourcing/whole-log/log-fault.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { describeKept } from './kept-checkpoint.js';

/** What is noted in Postgres of the checkpoints of one origin that were put into a storage of files. */
export type NotedCheckpoints = {
  readonly origin: string;
  /** Of those that were put into this storage, in their order, each once. */
  readonly sizes: ReadonlyArray<number>;
  /** How many were put into another one. */
  readonly elsewhere: number;
};

type Place = 'Postgres' | 'Storage';

const SEEN: Readonly<Record<Place, number>> = { Postgres: 1, Storage: 2 };

type NotedCheck = {
  /** The same checkpoints, which pass by. What ends early says nothing of those that did not come. */
  readonly watch: (place: Place, all: AsyncIterable<SignedCheckpoint>) => AsyncGenerator<SignedCheckpoint>;
  /** Ends after that which all of them pass by in. */
  readonly check: LogCheck;
};

const indexIn = (sizes: Float64Array, size: number): number | undefined => {
  let [from, to] = [0, sizes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sizes[middle] ?? 0) < size) from = middle + 1;
    else to = middle;
  }
  return sizes[from] === size ? from : undefined;
};

/**
 * Compares what is noted with what is there. A checkpoint is in Postgres before it is put into the storage, and noted after
 * that: so one that is noted is in both, unless it was removed. What was put there before there were notes, or while none
 * could be written, is not asked for. Nine bytes for each.
 */
export const makeNotedCheck = ({ origin, sizes: noted }: NotedCheckpoints, onFault: OnLogFault): NotedCheck => {
  const sizes = Float64Array.from(noted);
  const seen = new Uint8Array(sizes.length);
  const whole = new Set<Place>();
  let smallestInPostgres = Infinity;

  const describe = (size: number): string =>
    describeKept({ size, origin, where: 'in the file storage' }).replace('kept', 'once put');

  const judge = (size: number, places: number): void => {
    const isIn = (place: Place): boolean => (places & SEEN[place]) !== 0 || !whole.has(place);
    if (!isIn('Storage'))
      onFault({
        kind: 'checkpoint-removed',
        index: size,
        reason: `${describe(size)} is not there any more: it was removed there, or the storage was taken back to a backup`,
      });
    // of those that are larger, whoever compares the two places says it
    else if (!isIn('Postgres') && size < smallestInPostgres)
      onFault({
        kind: 'checkpoint-missing',
        index: size,
        reason: `${describe(size)} is not in Postgres, which has noted that it was put there: it was removed in Postgres`,
      });
  };

  return {
    watch: async function* (place, all) {
      for await (const checkpoint of all) {
        const index = checkpoint.origin === origin ? indexIn(sizes, checkpoint.size) : undefined;
        if (index !== undefined) seen[index] = (seen[index] ?? 0) | SEEN[place];
        if (place === 'Postgres' && checkpoint.origin === origin)
          smallestInPostgres = Math.min(smallestInPostgres, checkpoint.size);
        yield checkpoint;
      }
      whole.add(place);
    },
    check: {
      take: () => Promise.resolve(),
      end: () => {
        for (const [index, size] of sizes.entries()) judge(size, seen[index] ?? 0);
        return Promise.resolve();
      },
    },
  };
};
