import { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import { timeInAnswer } from '../../sealing/timestamp.js';
import type { TimestampArchive } from '../../sealing/timestamp-archive.js';
import { notPut, type UnfitObject } from './checkpoint-archive.js';
import { checkpointKey } from './checkpoint-key.js';
import type { CheckpointObjects } from './checkpoint-objects.js';
import { keepOnce } from './keep-once.js';
import { allStamped, timestampKey } from './timestamps.js';

type TimestampArchiveOptions = {
  /** Of each object that is no timestamp of the checkpoint beside it. */
  readonly onUnfit: (unfit: UnfitObject) => void;
  /** Ends the reading of all of them, which then throws. */
  readonly signal?: AbortSignal;
};

/** The timestamps in a storage of files, each compared with the checkpoint beside it. */
export const makeTimestampArchive = (
  objects: CheckpointObjects,
  { onUnfit, signal }: TimestampArchiveOptions,
): TimestampArchive => ({
  put: ({ checkpoint, answer }) =>
    attempt(() => keepOnce(objects, timestampKey(checkpointKey(checkpoint)), answer, 'timestamp'), notPut),
  async *all() {
    const whyNot = ({ note }: { readonly note: string }, answer: Buffer): string | undefined => {
      const time = timeInAnswer(answer, note);
      return E.isLeft(time) ? time.left : undefined;
    };
    for await (const found of allStamped(objects, whyNot)) {
      signal?.throwIfAborted();
      if (E.isLeft(found)) onUnfit(found.left);
      else yield found.right;
    }
  },
});
