import { type Logger, pino, type DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../../config.js';

export type { Logger } from 'pino';

/** What a line of a request says in words, and is not listed below it again. */
const REQUEST_FIELDS = ['requestId', 'method', 'path', 'operation', 'status', 'seconds', 'actor'];

/** A request in one line: listed key by key, a screen would hold three of them. */
const inWords: pretty.MessageFormatFunc = (line, messageKey) => {
  const { requestId, method, path, status, seconds, actor } = line;
  if (typeof method !== 'string') return String(line[messageKey]);
  const by = typeof actor === 'string' ? ` by ${actor}` : '';
  return `${method} ${String(path)} ${String(status)}${by} in ${(Number(seconds) * 1000).toFixed(1)} ms (${String(requestId)})`;
};

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
    isTerminal
      ? pretty({
          translateTime: 'SYS:HH:MM:ss',
          messageFormat: inWords,
          ignore: REQUEST_FIELDS.join(','),
          sync: true,
          ...(destination === undefined ? {} : { destination }),
        })
      : (destination ?? pino.destination(1)),
  );
