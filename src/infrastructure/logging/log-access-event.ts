import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { AccessEvent } from '../../read/access/read-writer.js';
import type { Logger } from './logger.js';

/** Logs what becomes of the record of reads: when it begins to fail, when that ends, and how many reads were lost by then. */
export const logAccessEvent = (log: Logger): ((event: AccessEvent) => void) => {
  let isFailing = false;
  let lost = 0;
  return (event) => {
    switch (event._tag) {
      case 'NotWritten':
        if (!isFailing)
          log.error({ reason: reasonOf(event.cause) }, 'the record of reads is not written; trying again');
        isFailing = true;
        return;
      case 'Lost':
        if (lost === 0 || event.isLast === true)
          log.error(
            { lost: lost + event.reads },
            'reads are lost: they were answered, and the record of reads will not have them',
          );
        lost += event.reads;
        return;
      case 'WrittenAgain':
        log.info({ lost }, 'the record of reads is written again');
        isFailing = false;
        lost = 0;
        return;
    }
  };
};
