import type { EngineEvent } from '../../../projections/engine/engine-event.js';
import type { FoundDrift } from '../../../projections/engine/verify/known-drifts.js';
import type { RowAhead } from '../../event-sourcing/ahead.js';
import type { ConnectionEvent } from '../../event-sourcing/connection-event.js';
import { UnreadableDecision } from '../../event-sourcing/operators/unreadable-decision.js';
import type { Readiness } from '../readiness.js';
import type { Logger } from './logger.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';

/** What happens in the engine: ids and reasons, never payloads. */
export const logEngineEvent =
  (log: Logger) =>
  (event: Exclude<EngineEvent, { _tag: 'Ahead' }>): void => {
    const { projection } = event;
    switch (event._tag) {
      case 'Projecting':
        log.info({ projection, generation: event.generation, role: event.role }, 'projecting');
        return;
      case 'StandingBy':
        log.info({ projection }, 'standing by: another process projects');
        return;
      case 'Interrupted':
        log.warn({ projection, reason: reasonOf(event.cause) }, 'projecting interrupted; trying again');
        return;
      case 'LeaseLost':
        log.warn({ projection }, 'another process has taken over projecting');
        return;
      case 'Replaced':
        log.info({ projection, generation: event.generation }, 'other rows are live now; projecting those');
        return;
      case 'Switched':
        log.info({ projection, generation: event.generation }, 'switched to a new version of the read model');
        return;
      case 'Parked': {
        const { stream, revision, id } = event.event;
        const parked = { stream, revision: revision.toString(), event: id };
        log.error({ projection, ...parked, reason: event.reason }, 'entity parked: this event cannot be projected');
        return;
      }
      case 'Unparked':
        log.info({ projection, stream: event.stream }, 'entity is projected again');
        return;
      case 'WrongLog':
        log.error({ projection, reason: event.wrongLog.message }, 'read model is of another log');
        return;
      case 'SameLogAgain':
        log.info({ projection }, 'read model is of this log again');
        return;
      case 'Fault':
        log.error({ projection, task: event.task, error: stackOf(event.cause) }, 'fault in a task; it goes on');
        return;
    }
  };

/** Of a decision that cannot be read, the program is not at fault, and its message says all. */
const stackOf = (cause: unknown): string =>
  cause instanceof UnreadableDecision
    ? cause.message
    : cause instanceof Error
      ? (cause.stack ?? cause.message)
      : String(cause);

/** What happens to the connection to the log: a warning, but for the first connection. */
export const logConnectionEvent =
  (log: Logger) =>
  (event: ConnectionEvent): void => {
    const { cause, ...fields } = { cause: undefined, ...event };
    const reason = cause === undefined ? {} : { reason: reasonOf(cause) };
    log[event.kind === 'connected' ? 'info' : 'warn']({ ...fields, ...reason }, 'event log');
  };

/** Whether the service can work, and its warnings. */
export const logReadiness =
  (log: Logger) =>
  ({ missing, warnings }: Readiness): void => {
    const fields = warnings.length === 0 ? { missing } : { warnings, missing };
    if (missing.length > 0) log.warn(fields, 'not ready');
    else log.warn(fields, warnings.length > 0 ? 'ready, with warnings' : 'ready again');
  };

/** A row that differs from a fold of its stream: names of fields, never values. */
export const logDrift =
  (log: Logger) =>
  ({ projection, stream, kind, fields }: FoundDrift): void =>
    log.error(
      { projection, stream, kind, fields },
      'row drifted: `npx --no-install ops projections verify --repair` repairs it',
    );

/** A row that drifted is as its stream makes it again: it was repaired, or a change of its record has written it. */
export const logDriftGone =
  (log: Logger) =>
  ({ projection, stream }: FoundDrift): void =>
    log.warn({ projection, stream }, 'row is as its events say again');

const aheadFields = ({ projection, stream, shown, newest }: RowAhead) => ({
  projection,
  stream,
  shown: shown.toString(),
  newest: newest.toString(),
});

/** A row shows more events than its stream holds. */
export const logAhead =
  (log: Logger) =>
  (row: RowAhead): void =>
    log.error(aheadFields(row), 'the history of a record is shorter than its row: events are missing from the log');

export const logAheadNoMore =
  (log: Logger) =>
  (row: RowAhead): void =>
    log.warn(aheadFields(row), 'the history of a record is as long as its row again');
