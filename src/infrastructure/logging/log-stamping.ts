import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { StampingEvent } from '../../sealing/keep-stamping.js';
import type { Logger } from './logger.js';

/** The lines of the timestamps of checkpoints. */
export const logStamping =
  (log: Logger) =>
  (event: StampingEvent): void => {
    if (event._tag === 'Stamped')
      log.info({ events: event.checkpoint.size, time: event.time }, 'the checkpoint has a timestamp of the TSA');
    else
      log.warn(
        { reason: reasonOf(event.cause) },
        'the TSA has given no timestamp; trying again with a later checkpoint',
      );
  };
