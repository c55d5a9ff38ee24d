import type { AppendFailure } from '../../event-sourcing/event-store.js';
import { messageOf } from '../message-of.js';

export const describeAppendFailure = (failure: AppendFailure): string => {
  switch (failure._tag) {
    case 'AppendRejected':
      return `the log does not take an event: ${failure.reason}`;
    case 'RevisionConflict':
      return 'another process writes into the log at the same time';
    case 'StoreUnavailable':
      return messageOf(failure);
  }
};
