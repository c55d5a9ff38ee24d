import { BackupFault } from './backup-fault.js';

/** So many files that are not as their events say, and none that is: the storage is another one. */
const NONE_OF = 1_000;

/** The manifest names each of them, and is held in memory. */
const MOST_LACKING = 100_000;

const SEE = 'is this the file storage of this log? See ops files verify';

type Counts = {
  /** Files of the events that a run has added so far. */
  readonly copied: number;
  readonly lacking: number;
  /** All that the backup lacks. */
  readonly allLacking: number;
  /** Whether it is known that files are lost, so that none has to be there. */
  readonly allowsMissing: boolean;
};

/** Throws `BackupFault` where so many files are not as their events say that the storage is not that of the log. */
export const requireStorageOfThisLog = ({ copied, lacking, allLacking, allowsMissing }: Counts): void => {
  if (allLacking > MOST_LACKING)
    throw new BackupFault(
      `more than ${MOST_LACKING} files are missing or different, which a backup cannot name: ${SEE}`,
    );
  if (!allowsMissing && copied === 0 && lacking > NONE_OF)
    throw new BackupFault(
      `the first ${lacking} files are all missing or different: ${SEE}. ` +
        'If it is, and they are lost for good, give --allow-missing-files',
    );
};
