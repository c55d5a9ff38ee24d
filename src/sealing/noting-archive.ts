import { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../application/ports.js';
import { attempt } from '../event-sourcing/attempt.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { CheckpointArchive } from './checkpoint-archive.js';

/** What is noted outside of the storage of files of the checkpoints that were put there. */
export type ArchiveNotes = {
  /** To note one again that is noted does nothing. Rejects with what the database throws. */
  readonly note: (checkpoint: Pick<SignedCheckpoint, 'origin' | 'size'>) => Promise<void>;
  /** The size of the largest one of an origin; undefined where none is noted. Rejects as above. */
  readonly largestOf: (origin: string) => Promise<number | undefined>;
};

type NotingArchiveOptions = {
  readonly notes: ArchiveNotes;
  /** The largest one that is noted is not in the storage any more. Called once for each. */
  readonly onRemoved: (checkpoint: Pick<SignedCheckpoint, 'origin' | 'size'>) => void;
};

const unavailable = (cause: unknown): StorageUnavailable => ({ _tag: 'StorageUnavailable', cause });

/**
 * An archive that notes what is put into it, and that looks for the largest one that is noted each time that it is asked for
 * the largest. One that could not be noted counts as not put, and is put and noted again.
 */
export const notingArchive = (
  archive: CheckpointArchive,
  { notes, onRemoved }: NotingArchiveOptions,
): CheckpointArchive => {
  const reported = new Map<string, number>();

  const expectNoted = (origin: string, noted: number, found: number | undefined): void => {
    if ((found ?? -1) >= noted || reported.get(origin) === noted) return;
    reported.set(origin, noted);
    onRemoved({ origin, size: noted });
  };

  return {
    ...archive,
    put: async (checkpoint) => {
      const put = await archive.put(checkpoint);
      return E.isLeft(put) ? put : attempt(() => notes.note(checkpoint), unavailable);
    },
    largestOf: async (origin, beyond) => {
      const noted = await attempt(() => notes.largestOf(origin), unavailable);
      if (E.isLeft(noted)) return noted;
      const size = noted.right ?? -1;
      const found = await archive.largestOf(origin, Math.min(beyond, size - 1));
      if (E.isLeft(found)) return found;
      expectNoted(origin, size, found.right?.size);
      return E.right((found.right?.size ?? -1) > beyond ? found.right : undefined);
    },
  };
};
