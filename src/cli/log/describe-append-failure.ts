import type { AppendFailure } from '../../event-sourcing/event-store.js';
import { messageOf } from '../message-of.js';

export const describeAppendFailure = (failure: AppendFailure): string => {
  switch (failure._tag) {
    case 'AppendRejected':
      return `the log rejects an event: ${failure.reason}`;
    case 'RevisionConflict':
      return 'another process is writing to the log';
    case 'StoreUnavailable':
      return messageOf(failure);
  }
};
