import type { SigningEvent } from '../../sealing/keep-signing.js';
import type { SealFault } from '../../sealing/sign-tree.js';
import type { Logger } from './logger.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';

const WHY: Readonly<Record<SealFault['_tag'], string>> = {
  Shorter: 'the log has fewer events than a checkpoint says: events were removed',
  Differs:
    'the log does not begin with the events that a checkpoint is about: events were changed, removed or inserted',
  Foreign:
    'a checkpoint of this origin was signed with another key (ops log replace-key records that one replaces another)',
  Unreadable: 'the tree in the ledger is not whole: rebuild it (ops projections rebuild ledger)',
};

/** The lines of the seal: none for each checkpoint that is signed, as that may be one a second. */
export const logSigning =
  (log: Logger) =>
  (event: SigningEvent): void => {
    switch (event._tag) {
      case 'Signed':
        return;
      case 'Archived':
        log.debug({ events: event.checkpoint.size }, 'checkpoint put into the file storage');
        return;
      case 'Restarted':
        log.warn(
          { origin: event.origin, replaced: event.replaced },
          'the seal was restarted: checkpoints have another origin from now on',
        );
        return;
      case 'KeyReplaced':
        log.warn(
          { key: event.key, replaced: event.replaced },
          'the key of the checkpoints was replaced: another one signs them from now on',
        );
        return;
      case 'Fault': {
        const { _tag, ...fields } = event.fault;
        log.error(fields, `no checkpoint is signed: ${WHY[_tag]}`);
        return;
      }
      case 'FaultOver':
        log.warn({ origin: event.fault.origin }, 'checkpoints are signed again');
        return;
      case 'Postponed':
        log.warn({ reason: reasonOf(event.cause) }, 'no checkpoint is signed now; trying again');
        return;
    }
  };
