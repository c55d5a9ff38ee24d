/** Value of `log_line_prefix`: the backend type, which distinguishes clients' connections from the server's own processes. */
export const linePrefix = '%b|';

const linePattern = /^(?<process>[^|]+)\|(?<severity>[A-Z]+): +(?<text>.*)$/;

/** Printed at every start and stop, and for closed connections. */
const routine = [
  'starting PostgreSQL',
  'listening on',
  'database system was shut down at',
  'database system is ready to accept connections',
  'received fast shutdown request',
  'aborting any active transactions',
  'shutting down',
  'database system is shut down',
  'checkpoint starting',
  'checkpoint complete',
  'terminating connection due to administrator command',
  'the database system is starting up',
  'the database system is shutting down',
];

const readyText = 'database system is ready to accept connections';

export const saysReady = (line: string): boolean => line.endsWith(readyText);

const isNotable = (process: string, severity: string, text: string): boolean => {
  if (routine.some((beginning) => text.startsWith(beginning))) return false;
  // a client gets its errors itself, and they may quote data, which must not be in a log
  return process === 'client backend' ? ['FATAL', 'PANIC'].includes(severity) : true;
};

const isDetail = (severity: string): boolean => ['DETAIL', 'HINT'].includes(severity);

/** Whether a line quotes a statement, which contains data. */
const isQuote = (severity: string, text: string): boolean =>
  ['STATEMENT', 'CONTEXT', 'QUERY', 'LOCATION'].includes(severity) || text.startsWith('Failed process was running');

/**
 * A filter for the lines of Postgres's stderr, in their order: gives what to log of a line, or undefined. A detail is
 * logged when the line it belongs to was. Lines of another form (the shell's, the program loader's) are always logged.
 */
export const makeLogFilter = (): ((line: string) => string | undefined) => {
  let isMessageLogged = true; // the last message, to which details belong
  let isLineLogged = true; // the last line; one that begins with a tab continues it
  return (line) => {
    if (line.startsWith('\t')) return isLineLogged ? line : undefined;
    const { process, severity, text } = linePattern.exec(line)?.groups ?? {};
    if (process === undefined || severity === undefined || text === undefined) return line;
    const isQuoted = isQuote(severity, text);
    if (!isDetail(severity) && !isQuoted) isMessageLogged = isNotable(process, severity, text);
    isLineLogged = isMessageLogged && !isQuoted;
    return isLineLogged ? `${severity}: ${text}` : undefined;
  };
};
