import type { Owner } from './events.js';

/** Owners of a business, at most: every change of one rewrites the whole row. */
export const MAX_OWNERS = 10_000;

/** Users and titles of all owners of a business together, at most, in UTF-16 code units. */
export const MAX_OWNERS_LENGTH = 1_048_576;

const lengthOf = ({ user, title }: Pick<Owner, 'user' | 'title'>): number => user.length + (title?.length ?? 0);

/** Whether the owners get too long together when `after` is added, or replaces `before`. */
export const isTooLong = (owners: ReadonlyArray<Owner>, after: Owner, before?: Owner): boolean => {
  const growth = lengthOf(after) - (before === undefined ? 0 : lengthOf(before));
  return growth > 0 && owners.reduce((sum, owner) => sum + lengthOf(owner), growth) > MAX_OWNERS_LENGTH;
};
