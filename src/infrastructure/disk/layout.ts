import { createHash } from 'node:crypto';
import path from 'node:path';
import { isObjectKey, requireObjectKey } from '../object-key.js';

/** The directories below the root. All are on one file system, so that a finished file can be renamed into place. */
export type Layout = {
  readonly objects: string;
  readonly unfinished: string;
  /** The path of an object. Throws on a key that is not ours. */
  readonly fileOf: (key: string) => string;
};

const SEGMENT_SEPARATOR = '_'; // no key contains it

/**
 * An object is one file, named by its key, in one of 256 directories. A hash of the key chooses the directory, because
 * time-ordered ids share their first characters and would all fall into one.
 */
export const layoutOf = (root: string): Layout => {
  const objects = path.join(root, 'objects');
  const fileOf = (key: string): string => {
    requireObjectKey(key);
    const shard = createHash('sha256').update(key).digest('hex').slice(0, 2);
    return path.join(objects, shard, key.replaceAll('/', SEGMENT_SEPARATOR));
  };
  return { objects, unfinished: path.join(root, 'unfinished'), fileOf };
};

/** The key in the name of a file; undefined when the file is not an object of ours. */
export const keyOf = (fileName: string): string | undefined => {
  const key = fileName.replaceAll(SEGMENT_SEPARATOR, '/');
  return isObjectKey(key) ? key : undefined;
};
