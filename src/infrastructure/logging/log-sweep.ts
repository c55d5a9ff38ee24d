import { either as E } from 'fp-ts';
import type { ClaimFailure } from '../../application/document/claim-storage.js';
import type { SweepFault, Swept } from '../../application/document/sweep-files.js';
import type { Logger } from './logger.js';
import { reasonOf } from './reason-of.js';

const reasonOfFailure = (failure: SweepFault['failure'] | ClaimFailure): string => {
  switch (failure._tag) {
    case 'UndecodableEvent':
      return failure.reason;
    case 'StorageOfAnotherLog':
      return 'the storage holds the files of another event log: nothing is removed there';
    case 'StorageUnavailable':
    case 'UploadAborted':
    case 'StoreUnavailable':
      return failure.cause === undefined ? failure._tag : reasonOf(failure.cause);
  }
};

/** Logs what the sweep of files could not do. */
export const logSweepFault =
  (log: Logger) =>
  (fault: SweepFault): void => {
    const reason = reasonOfFailure(fault.failure);
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

/** Logs how a sweep of files ended. */
export const logSwept =
  (log: Logger) =>
  (outcome: E.Either<ClaimFailure, Swept>): void => {
    if (E.isLeft(outcome)) log.error({ reason: reasonOfFailure(outcome.left) }, 'sweep: not done');
    else log.info(outcome.right, 'sweep: done');
  };
