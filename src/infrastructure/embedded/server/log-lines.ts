/** Set as `log_line_prefix`: tells a line of a client's connection from one of the server's own processes. */
export const linePrefix = '%b|';

const shape = /^(?<process>[^|]+)\|(?<severity>[A-Z]+): +(?<text>.*)$/;

/** What every start, stop and closed connection prints. */
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
  // a client's own errors are answered to the client; they may quote its data, which belongs in no log
  return process === 'client backend' ? ['FATAL', 'PANIC'].includes(severity) : true;
};

const isDetail = (severity: string): boolean => ['DETAIL', 'HINT'].includes(severity);
/** Statements carry data. */
const isQuote = (severity: string, text: string): boolean =>
  ['STATEMENT', 'CONTEXT', 'QUERY', 'LOCATION'].includes(severity) || text.startsWith('Failed process was running');

/**
 * A reader of Postgres's stderr that answers each line with what is worth telling of it, or nothing. Details follow the
 * line they belong to; lines of another form (the shell's, the program loader's) are always told.
 */
export const makeLogReader = (): ((line: string) => string | undefined) => {
  let telling = true; // the last statement of the server
  let toldLast = true; // the last line, of which a line that begins with a tab is the continuation
  return (line) => {
    if (line.startsWith('\t')) return toldLast ? line : undefined;
    const { process, severity, text } = shape.exec(line)?.groups ?? {};
    if (process === undefined || severity === undefined || text === undefined) return line;
    const quoted = isQuote(severity, text);
    if (!isDetail(severity) && !quoted) telling = isNotable(process, severity, text);
    toldLast = telling && !quoted;
    return toldLast ? `${severity}: ${text}` : undefined;
  };
};
