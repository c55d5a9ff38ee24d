import type { KeyObject } from 'node:crypto';
import type { TokenHeader } from './token-header.js';

/** Finds the keys that may have signed a token, by its header. */
export type KeyLookup = {
  /** At least one key. Rejects when there is none, and with `SigningKeysUnavailable` when they cannot be fetched. */
  readonly find: (header: TokenHeader) => Promise<ReadonlyArray<KeyObject>>;
  /**
   * For a signature that fits none of `tried`, which `find` gave: the keys that have been published for this header since;
   * none where there are none, or where they cannot be fetched now. Never rejects.
   */
  readonly findNewer: (header: TokenHeader, tried: ReadonlyArray<KeyObject>) => Promise<ReadonlyArray<KeyObject>>;
};
