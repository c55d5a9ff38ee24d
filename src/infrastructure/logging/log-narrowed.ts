import type { Narrowed } from '../disk/narrow-data-directory.js';
import type { Logger } from './logger.js';

/** What others could do with the data directory, or with a secret in it. */
export const logNarrowed =
  (log: Pick<Logger, 'warn'>) =>
  (found: ReadonlyArray<Narrowed>): void => {
    for (const each of found)
      log.warn(
        each,
        each.failed === undefined
          ? 'others could enter or read this; now they cannot'
          : 'others can enter or read this, and its mode cannot be changed',
      );
  };
