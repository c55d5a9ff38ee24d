import { either as E } from 'fp-ts';
import type { SweepFailure } from '../../application/document/start-sweeping.js';
import type { SweepFault, Swept } from '../../application/document/sweep-files.js';
import type { Logger } from './logger.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';

const reasonOfFailure = (failure: SweepFault['failure'] | Exclude<SweepFailure, { _tag: 'Unexpected' }>): string => {
  switch (failure._tag) {
    case 'UndecodableEvent':
      return failure.reason;
    case 'ErasedUnrecorded':
      return 'events of it are erased, and its history does not say so: their keys may be missing';
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

const fieldsOfFault = (cause: unknown): object => ({
  reason: reasonOf(cause),
  ...(cause instanceof Error ? { stack: cause.stack } : {}),
});

/** Logs how a sweep of files ended. */
export const logSwept =
  (log: Logger) =>
  (outcome: E.Either<SweepFailure, Swept>): void => {
    if (E.isRight(outcome)) log.info(outcome.right, 'sweep: done');
    else if (outcome.left._tag === 'Unexpected') log.error(fieldsOfFault(outcome.left.cause), 'sweep: not done');
    else log.error({ reason: reasonOfFailure(outcome.left) }, 'sweep: not done');
  };
