import type { Readable } from 'node:stream';

/** An object; one key has several where the storage keeps what was written over, and where it is read in two places. */
export type FoundObject = {
  readonly key: string;
  readonly version?: string;
  /** It is where checkpoints were put earlier: they are read there as well. */
  readonly isEarlier?: true;
};

/** The names of the folders in a folder, and the objects in it. */
type Folder = { readonly folders: ReadonlyArray<string>; readonly objects: ReadonlyArray<FoundObject> };

/**
 * Small objects in folders, which are only ever added: the part of a storage of files that keeps checkpoints. Keys are
 * those of `ObjectStorage`. All functions reject with the storage's errors.
 */
export type CheckpointObjects = {
  /** What a folder has of names not before `from`; where there is no such folder, nothing. */
  readonly list: (folder: string, from: string) => Promise<Folder>;
  /** Rejects with `NoSuchObject` where the object is no longer there. */
  readonly open: (object: FoundObject) => Promise<Readable>;
  /** Durable when it resolves. False, and nothing is changed, where the key has an object that would be lost. */
  readonly add: (key: string, content: Buffer) => Promise<boolean>;
  readonly isThere: () => Promise<boolean>;
};
