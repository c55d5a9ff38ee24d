import type { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../../application/ports.js';
import { attempt } from '../../event-sourcing/attempt.js';
import { makeBoundedCache } from '../../event-sourcing/bounded-cache.js';
import type { SignedCheckpoint } from '../../read/sealed-tree.js';
import { readCheckpoint } from '../../seal/checkpoint.js';
import type { CheckpointArchive, CheckpointTaken } from '../../sealing/checkpoint-archive.js';
import { NoSuchObject } from '../open-failure.js';
import {
  checkpointKey,
  CHECKPOINTS,
  GROUP,
  GROUPS,
  groupsOf,
  ORIGIN,
  originFolder,
  TIMESTAMPS,
} from './checkpoint-key.js';
import type { CheckpointObjects, FoundObject } from './checkpoint-objects.js';

/** An object where checkpoints are kept that is none, or not the one that its key says. */
export type UnfitObject = { readonly key: string; readonly reason: string };

type ArchiveOptions = {
  /** Once for each object and reason. Whoever can write into the storage can put such objects there. */
  readonly onUnfit?: (unfit: UnfitObject) => void;
  /** Ends the reading of all of them, which then throws. */
  readonly signal?: AbortSignal;
};

/** More bytes than a note with as many signatures as it may have. */
const LONGEST_NOTE = 64 * 1024;

/** Objects that are read at once when all are wanted. */
const AT_ONCE = 16;

/** Objects of which is remembered that they were reported. */
const REMEMBERED = 1_000;

class Taken extends Error {
  constructor(key: string) {
    super(`the storage has something else under ${key}, where this checkpoint belongs`);
  }
}

const storageUnavailable = (cause: unknown): StorageUnavailable => ({ _tag: 'StorageUnavailable', cause });

const notPut = (cause: unknown): StorageUnavailable | CheckpointTaken =>
  cause instanceof Taken ? { _tag: 'CheckpointTaken', cause } : storageUnavailable(cause);

/** All of a short stream; undefined of a longer one. */
const shortContent = async (body: Readable): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_NOTE) return undefined; // leaving the loop ends the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

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

const nameOf = ({ key }: FoundObject): string => key.slice(key.lastIndexOf('/') + 1);

/** One name has several objects where the storage keeps what was written over. */
const groupedByName = (objects: ReadonlyArray<FoundObject>): ReadonlyMap<string, ReadonlyArray<FoundObject>> => {
  const grouped = new Map<string, Array<FoundObject>>();
  for (const object of objects) {
    const name = nameOf(object);
    const others = grouped.get(name);
    if (others === undefined) grouped.set(name, [object]);
    else others.push(object);
  }
  return grouped;
};

const byNameFromTheLast = (one: string, other: string): number => (one < other ? 1 : -1);

class Archive {
  readonly #objects: CheckpointObjects;
  readonly #onUnfit: (unfit: UnfitObject) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #reported = makeBoundedCache<string, true>(REMEMBERED);

  constructor(objects: CheckpointObjects, { onUnfit = () => undefined, signal }: ArchiveOptions) {
    this.#objects = objects;
    this.#onUnfit = onUnfit;
    this.#signal = signal;
  }

  /** Does nothing where the same note is there already. Rejects where another one has its place and would be lost. */
  async put(checkpoint: SignedCheckpoint): Promise<void> {
    const key = checkpointKey(checkpoint);
    const content = Buffer.from(checkpoint.note);
    if (await this.#holds(key, content)) return;
    // another process may have put the same one meanwhile
    if ((await this.#objects.add(key, content)) || (await this.#holds(key, content))) return;
    throw new Taken(key);
  }

  async largestOf(origin: string, beyond: number): Promise<SignedCheckpoint | undefined> {
    const from = groupsOf(Math.max(0, beyond + 1));
    for await (const object of this.#fromTheLargest(originFolder(origin), from)) {
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
    for (const { key } of objects) this.#unfit(key, 'the key is not that of a checkpoint');
    const origins = folders.filter((name) => name !== TIMESTAMPS);
    for (const name of this.#named(ORIGIN, CHECKPOINTS, origins)) yield* this.#fromTheLargest(`${CHECKPOINTS}/${name}`);
  }

  /** The objects below a folder, those of the largest sizes first and down to that of `from`. */
  async *#fromTheLargest(folder: string, from: ReadonlyArray<string> = [], depth = 1): AsyncGenerator<FoundObject> {
    const [least = '', ...rest] = from;
    const { folders, objects } = await this.#objects.list(folder, least);
    if (depth === GROUPS) {
      const byName = groupedByName(objects);
      for (const name of this.#named(GROUP, folder, byName.keys())) yield* byName.get(name) ?? [];
      return;
    }
    for (const { key } of objects) this.#unfit(key, 'the key is not that of a checkpoint');
    for (const name of this.#named(GROUP, folder, folders))
      yield* this.#fromTheLargest(`${folder}/${name}`, name === least ? rest : [], depth + 1);
  }

  /** The names of this form, the last first; the others are reported. */
  #named(form: RegExp, folder: string, names: Iterable<string>): ReadonlyArray<string> {
    const [ours, others] = [new Array<string>(), new Array<string>()];
    for (const name of names) (form.test(name) ? ours : others).push(name);
    for (const name of others) this.#unfit(`${folder}/${name}`, 'the key is not that of a checkpoint');
    return ours.sort(byNameFromTheLast);
  }

  async #holds(key: string, content: Buffer): Promise<boolean> {
    const end = key.lastIndexOf('/');
    const { objects } = await this.#objects.list(key.slice(0, end), key.slice(end + 1));
    for (const object of objects)
      if (object.key === key && (await this.#contentOf(object))?.equals(content) === true) return true;
    return false;
  }

  async #contentOf(object: FoundObject): Promise<Buffer | undefined> {
    try {
      return await shortContent(await this.#objects.open(object));
    } catch (error) {
      if (error instanceof NoSuchObject) return undefined;
      throw error;
    }
  }

  async #read(object: FoundObject): Promise<SignedCheckpoint | undefined> {
    const fit = this.#fit(object, await this.#contentOf(object));
    if (E.isRight(fit)) return fit.right;
    this.#unfit(object.key, fit.left);
    return undefined;
  }

  #fit({ key }: FoundObject, content: Buffer | undefined): E.Either<string, SignedCheckpoint> {
    if (content === undefined) return E.left('it is no regular object, or longer than any checkpoint');
    const opened = readCheckpoint(content);
    if (E.isLeft(opened)) return opened;
    const { origin, size } = opened.right;
    if (checkpointKey({ origin, size }) !== key) return E.left('its key is not that of the checkpoint in it');
    return E.right({ origin, size, note: content.toString() });
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
