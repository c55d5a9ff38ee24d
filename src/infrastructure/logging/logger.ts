import { type Logger, pino, type DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../../config.js';

export type { Logger } from 'pino';

/**
 * The service's log: one JSON object a line, or coloured lines where a person looks at a terminal. Ids, types,
 * revisions and causes go in; bodies, tokens and payloads never do (the redaction is the net below that rule).
 */
export const makeLogger = (level: LogLevel, isTerminal: boolean, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // no wildcards: they would copy each line to look for what it does not have
      redact: ['authorization', 'cookie', 'password', 'headers.authorization', 'headers.cookie'],
    },
    destination ?? (isTerminal ? pretty({ translateTime: 'SYS:HH:MM:ss', sync: true }) : pino.destination(1)),
  );
