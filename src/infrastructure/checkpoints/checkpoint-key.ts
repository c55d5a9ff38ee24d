import { createHash } from 'node:crypto';
import type { SignedCheckpoint } from '../../read/sealed-tree.js';

/** What the keys of all checkpoints begin with. No file of a document has such a key. */
export const CHECKPOINTS = 'checkpoints';

/** The folder among those of the origins that has timestamps of checkpoints. */
export const TIMESTAMPS = 'timestamps';

const SIZE_DIGITS = 16; // as many as 2^53 - 1 has

/** So many folders lie between that of an origin and a checkpoint, the one of the origin left aside. */
export const GROUPS = 4;

/** A name of a folder or of an object within the folder of an origin. */
export const GROUP = /^\d{4}$/;

/** A name of a folder of an origin. */
export const ORIGIN = /^[0-9a-f]{32}$/;

/** The folder of an origin, which may hold characters that no key has. */
export const originFolder = (origin: string): string =>
  `${CHECKPOINTS}/${createHash('sha256').update(origin).digest('hex').slice(0, 32)}`;

/** A size as the names below the folder of its origin: 1234567 is 0000, 0000, 0123, 4567. */
export const groupsOf = (size: number): ReadonlyArray<string> =>
  String(size).padStart(SIZE_DIGITS, '0').match(/\d{4}/g) ?? [];

/** In groups of digits, so that no folder has more than 10,000 names, and the largest size is found from the top. */
export const checkpointKey = ({ origin, size }: Pick<SignedCheckpoint, 'origin' | 'size'>): string =>
  [originFolder(origin), ...groupsOf(size)].join('/');
