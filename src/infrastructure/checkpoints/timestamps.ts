import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../../read/sealed-tree.js';
import type { Stamped } from '../../sealing/timestamp-archive.js';
import { archivedCheckpoint, objectsAt, shortContentOf } from './archived-checkpoint.js';
import type { UnfitObject } from './checkpoint-archive.js';
import { CHECKPOINTS, checkpointKey, groupsOf, ORIGIN, originFolder, TIMESTAMPS } from './checkpoint-key.js';
import type { CheckpointObjects, FoundObject } from './checkpoint-objects.js';
import { LargestFirst } from './largest-first.js';

const OF_TIMESTAMPS = `${CHECKPOINTS}/${TIMESTAMPS}`;

/** The key of the timestamp of a checkpoint: as that of the checkpoint, in a folder beside those of the origins. */
export const timestampKey = (keyOfCheckpoint: string): string => keyOfCheckpoint.replace(CHECKPOINTS, OF_TIMESTAMPS);

/** Keeps a timestamp beside its checkpoint; one that is there already stays. Rejects with the storage's errors. */
export const makeKeepTimestamp =
  ({ add }: Pick<CheckpointObjects, 'add'>) =>
  async (checkpoint: SignedCheckpoint, answer: Buffer): Promise<void> => {
    await add(timestampKey(checkpointKey(checkpoint)), answer);
  };

/** A checkpoint of the storage with the answer of the authority that stands beside it. Neither is verified. */
export type StampedCheckpoint = Stamped & {
  /** The key of the answer. */
  readonly key: string;
};

/** Why an answer is no timestamp of a checkpoint; undefined where it is one. */
type WhyNot = (checkpoint: SignedCheckpoint, answer: Buffer) => string | undefined;

/** Timestamps that are looked at for a good one: whoever can write into the storage can put any number there. */
const MOST_READ = 8;

const readBeside = async (
  objects: CheckpointObjects,
  object: FoundObject,
  whyNot: WhyNot = () => undefined,
): Promise<E.Either<string, StampedCheckpoint>> => {
  const answer = await shortContentOf(objects, object);
  if (answer === undefined) return E.left('it is no regular object, or longer than any timestamp');
  const keyOfCheckpoint = object.key.replace(OF_TIMESTAMPS, CHECKPOINTS);
  let why = 'there is no checkpoint beside it';
  for (const beside of (await objectsAt(objects, keyOfCheckpoint)).slice(0, MOST_READ)) {
    const checkpoint = await archivedCheckpoint(objects, beside);
    const reason = E.isLeft(checkpoint) ? checkpoint.left : whyNot(checkpoint.right, answer);
    if (E.isRight(checkpoint) && reason === undefined)
      return E.right({ key: object.key, checkpoint: checkpoint.right, answer });
    why = `${keyOfCheckpoint} is not its checkpoint: ${reason ?? ''}`;
  }
  return E.left(why);
};

/**
 * The stamped checkpoints of an origin that are of `least` events or more, the largest first; of what is none, why. At most
 * eight objects are read. Throws the storage's errors.
 */
export async function* stampedCheckpoints(
  objects: CheckpointObjects,
  origin: string,
  least: number,
): AsyncGenerator<E.Either<UnfitObject, StampedCheckpoint>> {
  // what has another name is no timestamp
  const largestFirst = new LargestFirst(objects, () => undefined);
  let read = 0;
  for await (const object of largestFirst.below(timestampKey(originFolder(origin)), groupsOf(least))) {
    yield E.mapLeft((reason: string): UnfitObject => ({ key: object.key, reason }))(await readBeside(objects, object));
    read += 1;
    if (read === MOST_READ) return;
  }
}

/** Those of all origins, the largest of each first; of what is none, why. Throws the storage's errors. */
export async function* allStamped(
  objects: CheckpointObjects,
  whyNot: WhyNot,
): AsyncGenerator<E.Either<UnfitObject, StampedCheckpoint>> {
  // what has another name is no timestamp
  const largestFirst = new LargestFirst(objects, () => undefined);
  const { folders } = await objects.list(OF_TIMESTAMPS, '');
  for (const name of largestFirst.named(ORIGIN, OF_TIMESTAMPS, folders))
    for await (const object of largestFirst.below(`${OF_TIMESTAMPS}/${name}`))
      yield E.mapLeft((reason: string): UnfitObject => ({ key: object.key, reason }))(
        await readBeside(objects, object, whyNot),
      );
}
