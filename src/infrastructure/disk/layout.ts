import { createHash } from 'node:crypto';
import path from 'node:path';
import { isObjectKey, requireObjectKey } from '../object-key.js';

/** Where things lie below the root. Both are on one file system, so that a finished file is moved by its name alone. */
export type Layout = {
  readonly objects: string;
  readonly unfinished: string;
  /** Throws on a key that is not ours. */
  readonly fileOf: (key: string) => string;
};

const SEGMENT_SEPARATOR = '_'; // in no key

/**
 * One file an object, named by its key, in one of 256 directories told from a hash of the key: time-ordered ids share
 * their first characters, so the key's own would not spread.
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

/** The key that a file is named by; undefined for a file that is none of ours. */
export const keyOf = (fileName: string): string | undefined => {
  const key = fileName.replaceAll(SEGMENT_SEPARATOR, '/');
  return isObjectKey(key) ? key : undefined;
};
