import { either as E } from 'fp-ts';
import type { PackSources } from '../../audit-pack/pack-sources.js';
import { attempt } from '../../event-sourcing/attempt.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { CheckpointObjects } from '../../infrastructure/checkpoints/checkpoint-objects.js';
import { type StampedCheckpoint, stampedCheckpoints } from '../../infrastructure/checkpoints/timestamps.js';
import { openCheckpoint } from '../../seal/checkpoint.js';
import { openKnown } from '../../sealing/kept-checkpoint.js';
import { keysOf, type SealHistory } from '../../sealing/seal-history.js';
import { timeInAnswer } from '../../sealing/timestamp.js';
import { printNote } from '../output.js';

type Stamped = Pick<PackSources, 'checkpoint' | 'timestamp'>;

const unfit = (key: string, why: string): string => `${key} in the file storage is not used: ${why}`;

/**
 * What a pack has of it, where the key that signs now has signed it and the timestamp is of it; undefined of a key before that.
 * Left: why it has nothing.
 */
const forPack = (
  { key, checkpoint: { note }, answer }: StampedCheckpoint,
  history: SealHistory,
): E.Either<string, Stamped | undefined> => {
  const opened = openKnown(Buffer.from(note), keysOf(history)(history.origin));
  if (E.isLeft(opened)) return E.left(unfit(key, `its checkpoint is not one of a key of this log: ${opened.left}`));
  if (E.isLeft(openCheckpoint(Buffer.from(note), [history.key]))) return E.right(undefined);
  const time = timeInAnswer(answer, note);
  if (E.isLeft(time)) return E.left(unfit(key, time.left));
  return E.right({ checkpoint: note, timestamp: answer });
};

const newestFit = async (
  objects: CheckpointObjects,
  history: SealHistory,
  least: number,
): Promise<Stamped | undefined> => {
  for await (const found of stampedCheckpoints(objects, history.origin, least)) {
    const stamped = E.isRight(found) ? forPack(found.right, history) : E.left(unfit(found.left.key, found.left.reason));
    if (E.isLeft(stamped)) printNote(stamped.left);
    else if (stamped.right !== undefined) return stamped.right;
  }
  return undefined;
};

/**
 * The newest checkpoint of the key in force, of so many events or more, that has a timestamp in the file storage; undefined where there is none.
 * What is there and is none is named on standard error, and so is a storage that cannot be read: a pack can do without.
 */
export const findStamped = async (
  objects: CheckpointObjects,
  history: SealHistory,
  least: number,
): Promise<Stamped | undefined> => {
  const found = await attempt(() => newestFit(objects, history, least), reasonOf);
  if (E.isRight(found)) return found.right;
  printNote(`the pack has no timestamp, as the file storage cannot be read: ${found.left}`);
  return undefined;
};
