const LONGEST_KEY = 200;

const OBJECT_KEY = /^[A-Za-z0-9-]+(?:\/[A-Za-z0-9-]+)*$/;

/**
 * Whether a key has the form that `ObjectStorage` defines. Such a key has no special meaning in a path or a URL, and is
 * short enough for a file name.
 */
export const isObjectKey = (key: string): boolean => key.length <= LONGEST_KEY && OBJECT_KEY.test(key);

/** No object can have this key: a fault of ours, or an event log that another program has written. */
export class NotAnObjectKey extends RangeError {}

/** Throws `NotAnObjectKey` on a key of another form. */
export const requireObjectKey = (key: string): void => {
  if (!isObjectKey(key)) throw new NotAnObjectKey(`not an object key: ${JSON.stringify(key.slice(0, LONGEST_KEY))}`);
};
