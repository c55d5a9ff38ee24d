import type { OpenFailure } from '../read/get-file.js';
import { NotAnObjectKey } from './object-key.js';

/** The storage answers, and has no object under the key. */
export class NoSuchObject extends Error {}

/** The object ends before the range that was asked for. */
export class ObjectTooShort extends RangeError {}

/** What opening an object threw, as the failure that it means. */
export const openFailure = (cause: unknown): OpenFailure => {
  if (cause instanceof NoSuchObject || cause instanceof NotAnObjectKey)
    return { _tag: 'FileMissing', reason: cause.message };
  if (cause instanceof ObjectTooShort) return { _tag: 'FileTooShort', reason: cause.message };
  return { _tag: 'FileUnavailable', cause };
};
