import type { LogFault } from '../../event-sourcing/whole-log/log-fault.js';
import type { Logger } from './logger.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';

/** Lines of faults in one pass. The counter has all of them. */
const LINES_A_PASS = 100;

type Pass = { readonly events: number; readonly faults: number; readonly isWhole: boolean };

/** The lines of the verification that goes on all the time: ids and reasons, never payloads. */
export const logVerification = (log: Logger) => {
  let lines = 0;
  return {
    fault: ({ kind, index, stream, revision, id, reason }: LogFault): void => {
      lines += 1;
      if (lines <= LINES_A_PASS)
        log.error(
          { kind, index, stream, revision: revision?.toString(), event: id, reason },
          'a fault in the log, or in what is kept of it: `npx --no-install ops log verify` names all of them',
        );
      if (lines === LINES_A_PASS) log.error('further faults of this pass have no line of their own');
    },
    passEnded: ({ isWhole, ...counts }: Pass): void => {
      lines = 0;
      if (isWhole) log.info(counts, 'the whole log was verified');
      else log.warn(counts, 'the log was verified, but not compared with what could not be read: see the lines before');
    },
    unchecked: (what: string): void => log.warn({ what }, 'the verification of the log could not compare everything'),
    failed: (cause: unknown): void => {
      lines = 0;
      log.error({ reason: reasonOf(cause) }, 'the verification of the log ended early; it begins anew');
    },
  };
};
