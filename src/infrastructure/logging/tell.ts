import type { Notice } from '../../../projections/engine/notice.js';
import type { ConnectionEvent } from '../../event-sourcing/connection-event.js';
import type { Readiness } from '../readiness.js';
import type { Logger } from './logger.js';
import { reasonOf } from './reason-of.js';

/** What the engine has to tell, in the log: ids and reasons, never payloads. */
export const tellNotice =
  (log: Logger) =>
  (notice: Notice): void => {
    const { projection } = notice;
    switch (notice._tag) {
      case 'Projecting':
        log.info({ projection, instance: notice.instance, role: notice.role }, 'projecting');
        return;
      case 'StandingBy':
        log.info({ projection }, 'standing by: another process projects');
        return;
      case 'Interrupted':
        log.warn({ projection, reason: reasonOf(notice.cause) }, 'projecting interrupted; trying again');
        return;
      case 'Deposed':
        log.warn({ projection }, 'another process has taken over projecting');
        return;
      case 'Replaced':
        log.info({ projection, instance: notice.instance }, 'other rows are live now; following them');
        return;
      case 'Switched':
        log.info({ projection, instance: notice.instance }, 'switched to a new version of the read model');
        return;
      case 'Parked': {
        const { stream, revision, id } = notice.event;
        const event = { stream, revision: revision.toString(), event: id };
        log.error({ projection, ...event, reason: notice.reason }, 'entity parked: this event cannot be projected');
        return;
      }
      case 'Unparked':
        log.info({ projection, stream: notice.stream }, 'entity is projected again');
        return;
      case 'Refused':
        log.error({ projection, reason: notice.error.message }, 'read model refused');
        return;
      case 'Accepted':
        log.info({ projection }, 'read model is of this log again');
        return;
    }
  };

/** What the event log healed by itself, in the log. */
export const logConnectionEvent =
  (log: Logger) =>
  (event: ConnectionEvent): void => {
    const { cause, ...fields } = { cause: undefined, ...event };
    const reason = cause === undefined ? {} : { reason: reasonOf(cause) };
    log.warn({ ...fields, ...reason }, 'event log');
  };

/** Whether the service can work, and what to look after, in the log. */
export const tellReadiness =
  (log: Logger) =>
  ({ missing, warnings }: Readiness): void => {
    const fields = warnings.length === 0 ? { missing } : { warnings, missing };
    if (missing.length > 0) log.warn(fields, 'not ready');
    else log.warn(fields, warnings.length > 0 ? 'ready, with warnings' : 'ready again');
  };
