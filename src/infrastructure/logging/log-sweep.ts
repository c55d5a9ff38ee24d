import { either as E } from 'fp-ts';
import type { ClaimFailure } from '../../application/document/claim-storage.js';
import type { SweepFault, Swept } from '../../application/document/sweep-files.js';
import type { Logger } from './logger.js';

const reasonOf = (failure: SweepFault['failure'] | ClaimFailure): string => {
  switch (failure._tag) {
    case 'UndecodableEvent':
      return failure.reason;
    case 'StorageOfAnotherLog':
      return 'the storage holds the files of another event log: nothing is removed there';
    case 'StorageUnavailable':
    case 'UploadAborted':
    case 'StoreUnavailable':
      return failure.cause instanceof Error ? failure.cause.message : failure._tag;
  }
};

/** What the sweep of files could not do, in the log. */
export const tellSweepFault =
  (log: Logger) =>
  (fault: SweepFault): void => {
    const reason = reasonOf(fault.failure);
    switch (fault._tag) {
      case 'NotChecked':
        log.warn({ document: fault.documentId, reason }, 'sweep: files of a document could not be checked');
        return;
      case 'NotRemoved':
        log.warn({ key: fault.key, reason }, 'sweep: a file could not be removed');
        return;
      case 'UnfinishedNotCleared':
        log.warn({ reason }, 'sweep: unfinished uploads could not be cleared');
        return;
    }
  };

/** What a sweep of files has come to, in the log. */
export const tellSwept =
  (log: Logger) =>
  (outcome: E.Either<ClaimFailure, Swept>): void => {
    if (E.isLeft(outcome)) log.error({ reason: reasonOf(outcome.left) }, 'sweep: not done');
    else log.info(outcome.right, 'sweep: done');
  };
