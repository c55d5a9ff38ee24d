const LONGEST_KEY = 200;

const OBJECT_KEY = /^[A-Za-z0-9-]+(?:\/[A-Za-z0-9-]+)*$/;

/**
 * Whether a key is one of ours (`ObjectStorage` says which). No such key means anything to a file system or a URL, and
 * it is short enough to be a file name.
 */
export const isObjectKey = (key: string): boolean => key.length <= LONGEST_KEY && OBJECT_KEY.test(key);

/** Throws on a key that is not ours: it comes from a fault in the program or from a log that others wrote. */
export const requireObjectKey = (key: string): void => {
  if (!isObjectKey(key)) throw new RangeError(`not an object key: ${JSON.stringify(key.slice(0, LONGEST_KEY))}`);
};
