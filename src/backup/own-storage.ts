import { BackupFault } from './backup-fault.js';

/** So many files that are not as their events say, and none that is: the storage is another one. */
const NONE_OF = 1_000;

/** The manifest names each of them, and is held in memory. */
const MOST_LACKING = 100_000;

/** Files of the events that a run has added so far, and all that the backup lacks. */
type Counts = { readonly copied: number; readonly lacking: number; readonly allLacking: number };

/** Throws `BackupFault` where so many files are not as their events say that the storage is not that of the log. */
export const requireOwnStorage = ({ copied, lacking, allLacking }: Counts): void => {
  if (allLacking > MOST_LACKING || (copied === 0 && lacking > NONE_OF))
    throw new BackupFault(
      'too many files are missing or different: is this the file storage of this log? See ops files verify',
    );
};
