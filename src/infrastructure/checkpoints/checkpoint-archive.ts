import { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../../application/ports.js';
import { attempt } from '../../event-sourcing/attempt.js';
import { makeBoundedCache } from '../../event-sourcing/bounded-cache.js';
import type { SignedCheckpoint } from '../../read/sealed-tree.js';
import type { CheckpointArchive, CheckpointTaken } from '../../sealing/checkpoint-archive.js';
import { archivedCheckpoint } from './archived-checkpoint.js';
import { checkpointKey, CHECKPOINTS, groupsOf, ORIGIN, originFolder, TIMESTAMPS } from './checkpoint-key.js';
import type { CheckpointObjects, FoundObject } from './checkpoint-objects.js';
import { keepOnce, Taken } from './keep-once.js';
import { LargestFirst } from './largest-first.js';

/** An object where checkpoints are kept that is none, or not the one that its key says. */
export type UnfitObject = { readonly key: string; readonly reason: string };

type ArchiveOptions = {
  /** Once for each object and reason. Whoever can write into the storage can put such objects there. */
  readonly onUnfit?: (unfit: UnfitObject) => void;
  /** Ends the reading of all of them, which then throws. */
  readonly signal?: AbortSignal;
};

/** Objects that are read at once when all are wanted. */
const AT_ONCE = 16;

/** Objects of which is remembered that they were reported. */
const REMEMBERED = 1_000;

const storageUnavailable = (cause: unknown): StorageUnavailable => ({ _tag: 'StorageUnavailable', cause });

/** Why something was not put beside or among checkpoints. */
export const notPut = (cause: unknown): StorageUnavailable | CheckpointTaken =>
  cause instanceof Taken ? { _tag: 'CheckpointTaken', cause } : storageUnavailable(cause);

async function* inGroups<A>(items: AsyncIterable<A>, count: number): AsyncGenerator<ReadonlyArray<A>> {
  let group: Array<A> = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < count) continue;
    yield group;
    group = [];
  }
  yield group;
}

class Archive {
  readonly #objects: CheckpointObjects;
  readonly #onUnfit: (unfit: UnfitObject) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #largestFirst: LargestFirst;
  readonly #reported = makeBoundedCache<string, true>(REMEMBERED);

  constructor(objects: CheckpointObjects, { onUnfit = () => undefined, signal }: ArchiveOptions) {
    this.#objects = objects;
    this.#onUnfit = onUnfit;
    this.#signal = signal;
    this.#largestFirst = new LargestFirst(objects, (key) => this.#misnamed(key));
  }

  /** Does nothing where the same note is there already. Rejects where another one has its place and would be lost. */
  async put(checkpoint: SignedCheckpoint): Promise<void> {
    await keepOnce(this.#objects, checkpointKey(checkpoint), Buffer.from(checkpoint.note), 'checkpoint');
  }

  async largestOf(origin: string, beyond: number): Promise<SignedCheckpoint | undefined> {
    const from = groupsOf(Math.max(0, beyond + 1));
    for await (const object of this.#largestFirst.below(originFolder(origin), from)) {
      const checkpoint = await this.#read(object);
      if (checkpoint !== undefined) return checkpoint;
    }
    return undefined;
  }

  async *all(): AsyncGenerator<SignedCheckpoint> {
    for await (const objects of inGroups(this.#everything(), AT_ONCE)) {
      // who has ended it may not be waiting, and there may be none among very many objects
      this.#signal?.throwIfAborted();
      for (const checkpoint of await Promise.all(objects.map((object) => this.#read(object))))
        if (checkpoint !== undefined) yield checkpoint;
    }
  }

  async *#everything(): AsyncGenerator<FoundObject> {
    const { folders, objects } = await this.#objects.list(CHECKPOINTS, '');
    for (const { key } of objects) this.#misnamed(key);
    const origins = folders.filter((name) => name !== TIMESTAMPS);
    for (const name of this.#largestFirst.named(ORIGIN, CHECKPOINTS, origins))
      yield* this.#largestFirst.below(`${CHECKPOINTS}/${name}`);
  }

  async #read(object: FoundObject): Promise<SignedCheckpoint | undefined> {
    const fit = await archivedCheckpoint(this.#objects, object);
    if (E.isRight(fit)) return fit.right;
    this.#unfit(object.key, fit.left);
    return undefined;
  }

  #misnamed(key: string): void {
    this.#unfit(key, 'the key is not that of a checkpoint');
  }

  #unfit(key: string, reason: string): void {
    const report = `${key} ${reason}`;
    if (this.#reported.get(report) === true) return;
    this.#reported.set(report, true);
    this.#onUnfit({ key, reason });
  }
}

/**
 * Keeps checkpoints in a storage of files. What is no checkpoint is reported and otherwise as if it were not there: rubbish
 * under such a key is no error. Signatures are not looked at: one by another key is for the caller to judge.
 */
export const makeCheckpointArchive = (objects: CheckpointObjects, options: ArchiveOptions = {}): CheckpointArchive => {
  const archive = new Archive(objects, options);
  return {
    put: (checkpoint) => attempt(() => archive.put(checkpoint), notPut),
    largestOf: (origin, beyond) => attempt(() => archive.largestOf(origin, beyond), storageUnavailable),
    all: () => archive.all(),
    isThere: objects.isThere,
  };
};
