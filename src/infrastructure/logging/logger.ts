import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../../config/variables.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { batchedLines } from './batched-lines.js';
import { makeLogTime } from './log-time.js';
import type { Clock } from '../../event-sourcing/clock.js';

export type { Logger } from 'pino';

/** The log of a process. */
export type ProcessLog = Logger & {
  /** How many of its lines were lost, because standard output did not take them. */
  readonly linesLost: () => number;
};

/** Fields that a request's line shows in words; they are not listed below it again. */
const REQUEST_FIELDS = [
  ...['requestId', 'method', 'route', 'record', 'operation', 'status', 'seconds', 'client', 'actor', 'iss', 'jti'],
];

/** A request in one line: listed key by key, a screen would hold three of them. */
const inWords: pretty.MessageFormatFunc = (line, messageKey) => {
  const { requestId, method, route, record, status, seconds, actor } = line;
  if (typeof method !== 'string') return String(line[messageKey]);
  const by = typeof actor === 'string' ? ` by ${actor}` : '';
  const of = typeof record === 'string' ? ` of ${record}` : '';
  return `${method} ${typeof route === 'string' ? route : 'without a route'}${of} ${String(status)}${by} in ${(Number(seconds) * 1000).toFixed(1)} ms (${String(requestId)})`;
};

const STANDARD_OUTPUT = 1;

const inBatches = (clock: Clock, options: LoggerOptions): ProcessLog => {
  const lines = batchedLines(
    clock,
    (bytes) => writeSync(STANDARD_OUTPUT, bytes),
    ({ lines: lost, cause }) =>
      logger.warn(
        { lines: lost, reason: reasonOf(cause) },
        'lines of this log were lost: standard output did not take them',
      ),
  );
  const logger = pino(options, lines);
  return Object.assign(logger, { linesLost: lines.lost });
};

/**
 * The service's log: one JSON object a line, or coloured lines where a person looks at a terminal. Ids, types,
 * revisions and causes go in; bodies, tokens, paths and payloads never do. Redaction only catches what breaks that rule. A
 * terminal gets each line at once. Else lines are written in batches to standard output, errors at once: a process that
 * is killed loses what it has logged in its last 10 ms (see `batchedLines`).
 */
export const makeLogger = (
  clock: Clock,
  level: LogLevel,
  isTerminal: boolean,
  destination?: DestinationStream,
): ProcessLog => {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: makeLogTime(clock),
    // no wildcards: to look for them, pino would copy each line
    redact: ['authorization', 'cookie', 'password', 'headers.authorization', 'headers.cookie'],
  };
  if (!isTerminal && destination === undefined) return inBatches(clock, options);
  const lines = isTerminal
    ? pretty({
        translateTime: 'SYS:HH:MM:ss',
        messageFormat: inWords,
        ignore: REQUEST_FIELDS.join(','),
        sync: true,
        ...(destination === undefined ? {} : { destination }),
      })
    : destination;
  return Object.assign(pino(options, lines), { linesLost: () => 0 });
};
