import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { CosigningEvent } from '../../sealing/keep-cosigning.js';
import type { Logger } from './logger.js';

/** The lines of the witnesses: none for each checkpoint that they cosign. */
export const logCosigning =
  (log: Logger) =>
  (event: CosigningEvent): void => {
    switch (event._tag) {
      case 'Cosigned':
        return;
      case 'QuorumAgain':
        log.info({ events: event.checkpoint.size }, 'checkpoints are cosigned by the quorum of witnesses again');
        return;
      case 'NoQuorum':
        log.warn(
          { events: event.checkpoint.size, refusals: event.refusals },
          'too few witnesses have cosigned the checkpoint; trying again',
        );
        return;
      case 'NotRecorded':
        log.warn({ reason: reasonOf(event.cause) }, 'a cosigned checkpoint was not recorded; trying again');
        return;
    }
  };
